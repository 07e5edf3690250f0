// What differs between two documents of a flow, as a list in words: for publishing, and for comparing versions.
import type { Change, PartChange, VersionDifference } from "~/api/versions";
import { wordDiff } from "~/graph/wordDiff";
import "./difference.css";

const LISTS = ["nodes", "edges", "inputs", "presets", "artifacts"] as const;
const ONE_OF: Record<(typeof LISTS)[number], string> = {
  nodes: "Node",
  edges: "Edge",
  inputs: "Input",
  presets: "Preset",
  artifacts: "Artifact",
};
const MARKS = { added: "+", removed: "−", changed: "~" } as const;

interface Props {
  difference: VersionDifference;
  /** Called with the id of a node whose row was chosen. */
  onNode?: ((id: string) => void) | undefined;
  /** The node that is looked at. */
  current?: string | undefined;
}

/** How much differs, in one line. */
export function counted(difference: VersionDifference): string {
  const of = (kind: "added" | "removed" | "changed") =>
    LISTS.reduce((sum, list) => sum + difference[list][kind].length, 0);
  const changed = of("changed") + difference.top.length;
  const order = LISTS.some((list) => difference[list].order_changed) ? ", another order" : "";
  if (difference.same) return difference.layout.length ? "only positions on the canvas differ" : "nothing differs";
  const moved = difference.layout.length ? ` (${difference.layout.length} only moved)` : "";
  return `${of("added")} added, ${changed} changed, ${of("removed")} removed${order}${moved}`;
}

export default function DifferenceList({ difference, onNode, current }: Props) {
  if (difference.same)
    return (
      <p className="quiet">{difference.layout.length ? "Only positions on the canvas differ." : "No difference."}</p>
    );
  return (
    <ul className="difference">
      {difference.top.map((change) => (
        <li key={change.path} className="difference-part">
          <ChangeLine change={change} />
        </li>
      ))}
      {LISTS.flatMap((list) =>
        [...difference[list].added, ...difference[list].changed, ...difference[list].removed].map((part) => (
          <li
            key={`${list}/${part.id}`}
            className="difference-part"
            data-kind={part.kind}
            aria-current={list === "nodes" && part.id === current ? "true" : undefined}
          >
            <PartHead part={part} what={ONE_OF[list]} onNode={list === "nodes" ? onNode : undefined} />
            {part.changes?.map((change) => (
              <ChangeLine key={`${change.path}${change.kind}`} change={change} />
            ))}
          </li>
        )),
      )}
      {LISTS.filter((list) => difference[list].order_changed).map((list) => (
        <li key={list} className="difference-part">
          The {list} stand in another order{list === "nodes" ? ": they are scheduled in it" : ""}
          {list === "edges" ? ": they are tried in it" : ""}.
        </li>
      ))}
    </ul>
  );
}

function PartHead({ part, what, onNode }: { part: PartChange; what: string; onNode: Props["onNode"] }) {
  const words = `${what} ${nameOf(part)} ${part.kind}`;
  return (
    <span className="difference-head">
      <span className="difference-mark" aria-hidden="true">
        {MARKS[part.kind]}
      </span>
      {onNode ? (
        <button type="button" className="plain" onClick={() => onNode(part.id)}>
          {words}
        </button>
      ) : (
        words
      )}
    </span>
  );
}

function nameOf(part: PartChange): string {
  const whole = (part.part ?? {}) as { name?: string; source?: string; target?: string };
  if (whole.source && whole.target) return `${whole.source} → ${whole.target}`;
  return whole.name || part.id;
}

function ChangeLine({ change }: { change: Change }) {
  const place = change.path.replace(/^\//, "").replaceAll("/", " › ") || "value";
  return (
    <span className="difference-change">
      <span className="difference-place">{place}</span> <Values change={change} />
    </span>
  );
}

function Values({ change: { before, after, kind } }: { change: Change }) {
  if (kind !== "changed") {
    const Mark = kind === "added" ? "ins" : "del";
    return <Mark>{shown(kind === "added" ? after : before)}</Mark>;
  }
  if (typeof before === "string" && typeof after === "string") {
    return (
      <span className="difference-text">
        {wordDiff(before, after).map((piece, index) => {
          const Mark = piece.kind === "same" ? "span" : piece.kind === "added" ? "ins" : "del";
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
          return <Mark key={index}>{piece.text}</Mark>;
        })}
      </span>
    );
  }
  return (
    <span>
      <del>{shown(before)}</del> → <ins>{shown(after)}</ins>
    </span>
  );
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
