// An edge: its way, its label, how often a run took it, and in the editor a button that puts a node onto it.
import type { EdgeProps } from "@xyflow/react";
import { memo, useMemo, useState } from "react";
import { middleOf, pathOf } from "~/graph/route";
import { useDiffMark, useEdgeOverlay, useLayers } from "~/nodes/layers";
import { type EdgeOverlay, valueWords } from "~/nodes/overlay";
import { usePicker } from "~/store/picker";
import type { LineElement } from "./elements";

/** Signs on an edge that the pointer is at, or that is selected. */
const LOOKED_AT = 60;

function Line({ id, data, selected }: EdgeProps<LineElement>) {
  const { editable } = useLayers();
  const overlay = useEdgeOverlay(id);
  const diff = useDiffMark("edges", id);
  const [near, setNear] = useState(false);
  const way = data?.way;
  const drawn = useMemo(() => (way ? `${pathOf(way)}${arrowOf(way)}` : ""), [way]);
  const middle = useMemo(() => (way ? middleOf(way) : { x: 0, y: 0 }), [way]);
  if (!data) return null;
  const { taken, words } = wordsOf(data.label, overlay);
  const room = near || selected ? LOOKED_AT : roomOn(data.way);
  const classes = [
    "line-path",
    overlay ? "line-taken" : "",
    overlay?.active ? "line-active" : "",
    diff ? `diff-${diff}` : "",
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only shows a button that is reached by keys too (E)
    <g onMouseEnter={() => setNear(true)} onMouseLeave={() => setNear(false)}>
      <path className={classes.filter(Boolean).join(" ")} d={drawn}>
        {taken ? <title>{taken}</title> : null}
      </path>
      <path className="react-flow__edge-interaction" d={drawn} fill="none" strokeOpacity={0} strokeWidth={20} />
      {words ? (
        <text className="line-label" x={middle.x} y={middle.y - 6} textAnchor="middle">
          {shortened(words, room)}
        </text>
      ) : null}
      {editable && (near || selected) ? <AddButton edge={id} name={data.name} x={middle.x} y={middle.y} /> : null}
    </g>
  );
}

/** What a run says of an edge: in full for who asks, and in short on the line beside its label. */
function wordsOf(label: string, overlay: EdgeOverlay | undefined): { taken: string; words: string } {
  if (!overlay) return { taken: "", words: label };
  const { count } = overlay;
  const value = overlay.value ? valueWords(overlay.value) : "";
  const taken = `taken ${count > 1 ? `${count} times` : "once"}${value ? `: ${value}` : ""}`;
  return { taken, words: [label, count > 1 ? `×${count}` : "", value].filter(Boolean).join(" ") };
}

interface AddProps {
  edge: string;
  name: string;
  x: number;
  y: number;
}

function AddButton({ edge, name, x, y }: AddProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand within a drawing
    <g
      className="line-add"
      role="button"
      tabIndex={-1}
      aria-label={`Add a node: ${name}`}
      transform={`translate(${x} ${y})`}
      onClick={(event) => {
        event.stopPropagation();
        usePicker
          .getState()
          .open({ kind: "add", spot: { kind: "edge", edge }, x: event.clientX + 8, y: event.clientY });
      }}
      onKeyDown={(event) => {
        const at = event.currentTarget.getBoundingClientRect();
        const spot = { kind: "edge", edge } as const;
        if (event.key === "Enter") usePicker.getState().open({ kind: "add", spot, x: at.x, y: at.y });
      }}
    >
      <circle className="line-add-hit" r={12} />
      <circle className="line-add-disc" r={9} />
      <path d="M-4 0H4M0 -4V4" />
    </g>
  );
}

/** Edges come in from the left. */
function arrowOf(way: readonly { x: number; y: number }[]): string {
  const end = way.at(-1);
  return end ? `M${end.x - 7} ${end.y - 4}L${end.x - 1} ${end.y}L${end.x - 7} ${end.y + 4}` : "";
}

/** As many signs as the longest level part has room for. */
function roomOn(way: readonly { x: number; y: number }[]): number {
  const lengths = way
    .slice(1)
    .map((point, index) => (point.y === way[index]?.y ? Math.abs(point.x - (way[index]?.x ?? 0)) : 0));
  return Math.max(8, Math.floor((Math.max(0, ...lengths) - 12) / 6));
}

function shortened(text: string, room: number): string {
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}

export default memo(Line);
