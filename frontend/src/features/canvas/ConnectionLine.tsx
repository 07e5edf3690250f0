// The edge that is being drawn, and at the pointer what would happen: connected with what, why not, or a loop.
import type { ConnectionLineComponentProps } from "@xyflow/react";
import { refusalOf } from "~/graph/connecting";
import { labelOf } from "~/graph/document";
import { boxesAt } from "~/graph/placing";
import { closesLoop } from "~/graph/wiring";
import { current } from "~/store/drawing";
import type { StepElement } from "./elements";
import { startOf } from "./useConnecting";

export default function ConnectionLine({ fromX, fromY, toX, toY, fromNode, fromHandle, toNode }: Props) {
  const { text, ok } = hintAt(fromNode.id, fromHandle.id, toNode?.id, { x: toX, y: toY });
  const middle = (fromX + toX) / 2;
  return (
    <g className={ok ? "connection-line" : "connection-line connection-refused"}>
      <path d={`M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${toX} ${toY}`} />
      <circle cx={toX} cy={toY} r={4} />
      <text x={toX + 14} y={toY - 10}>
        {text}
      </text>
    </g>
  );
}

type Props = ConnectionLineComponentProps<StepElement>;

function hintAt(
  source: string,
  port: string | null | undefined,
  target: string | undefined,
  at: { x: number; y: number },
) {
  const { document, geometry } = current();
  const parent = geometry.boxes.get(source)?.parent;
  const under = boxesAt(geometry, at).find((box) => box.id !== parent);
  const box = (target === undefined ? undefined : geometry.boxes.get(target)) ?? under;
  if (!box) return { ok: true, text: "Let go to add a node here" };
  if (box.id === source && target === undefined) return { ok: true, text: "" };
  const refusal = refusalOf(document, startOf(source, port), box.id);
  if (refusal) return { ok: false, text: refusal };
  const loop = closesLoop(document, source, box.id) ? " (closes a loop)" : "";
  return { ok: true, text: `Connect with ${labelOf(box.node)}${loop}` };
}
