// In the inspector: what was observed at the selected node or edge, whole on demand.
import { useState } from "react";
import { findEdge } from "~/graph/document";
import { stepOverlayOf } from "~/nodes/observedOverlay";
import { stateWords } from "~/nodes/overlay";
import { useEditor } from "~/store/editor";
import { tell } from "~/store/notices";
import { type NodeObserved, type Observed, type ShortValue, useObserved } from "~/store/observed";
import Toolbar from "~/ui/Toolbar";
import { bytesWords } from "./sizes";
import WholeValue from "./WholeValue";
import "./observed.css";

export default function ObservedPart() {
  const observed = useObserved((state) => state.observed);
  const node = useEditor(({ nodes, edges }) => (nodes.size === 1 && !edges.size ? [...nodes][0] : undefined));
  const edge = useEditor(({ nodes, edges }) => (edges.size === 1 && !nodes.size ? [...edges][0] : undefined));
  if (!observed || (node === undefined && edge === undefined)) return null;
  return (
    <section className="observed-part" aria-label="What was observed">
      <h3>{titleOf(observed)}</h3>
      {node !== undefined ? <AtNode key={node} observed={observed} id={node} /> : null}
      {edge !== undefined ? <AtEdge key={edge} observed={observed} id={edge} /> : null}
    </section>
  );
}

function titleOf({ source }: Observed): string {
  return source.kind === "run" ? `In run ${source.run.slice(0, 8)}` : `In ${source.name}`;
}

function AtNode({ observed, id }: { observed: Observed; id: string }) {
  const document = useEditor((state) => state.document);
  const seen = observed.nodes.get(id);
  const overlay = stepOverlayOf(observed, document, id);
  return (
    <>
      <p>
        <span className={`mark mark-${overlay.status === "blocked" ? "skipped" : overlay.status}`}>
          {stateWords(overlay)}
        </span>
        {overlay.earlier ? <span className="quiet"> {overlay.earlier}</span> : null}
        {seen?.visits ? ` Visit ${seen.visit} of ${seen.visits}.` : ""}
        {seen?.path && seen.path !== id ? <span className="quiet mono"> {seen.path}</span> : null}
      </p>
      {seen?.error ? <p className="run-failure">{seen.error}</p> : null}
      {seen?.value ? <Value value={seen.value} /> : seen ? <p className="quiet">It gave nothing.</p> : null}
      {seen ? <Actions observed={observed} node={id} seen={seen} /> : null}
    </>
  );
}

function AtEdge({ observed, id }: { observed: Observed; id: string }) {
  const source = useEditor((state) => findEdge(state.document, id)?.source);
  const seen = observed.edges.get(id);
  const from = source === undefined ? undefined : observed.nodes.get(source);
  if (!seen) return <p className="quiet">It was not taken.</p>;
  return (
    <>
      <p>Taken {seen.count === 1 ? "once" : `${seen.count} times`}.</p>
      {seen.value ? <Value value={seen.value} /> : null}
      {seen.value && from && source !== undefined ? <Actions observed={observed} node={source} seen={from} /> : null}
    </>
  );
}

function Value({ value }: { value: ShortValue }) {
  if (value.kind === "covered")
    return <p className="quiet">Its value is covered, since it touches what the flow marks as sensitive.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre className="value" tabIndex={0}>
        {value.cut ? `${value.text}…` : value.text}
      </pre>
      {value.cut ? <p className="quiet small">The beginning of {bytesWords(value.size)}.</p> : null}
    </>
  );
}

interface ActionsProps {
  observed: Observed;
  node: string;
  seen: NodeObserved;
}

function Actions({ observed: { source }, node, seen }: ActionsProps) {
  const [open, setOpen] = useState(false);
  const run = source.kind === "run" ? source.run : undefined;
  const { value, step } = seen;
  return (
    <>
      <Toolbar className="button-row" label="The value">
        {run && step && value?.kind === "told" ? (
          <button type="button" className="quiet-button" onClick={() => setOpen(true)}>
            Whole value
          </button>
        ) : null}
        <button type="button" className="quiet-button" onClick={() => void copyPath(node)}>
          Copy path
        </button>
        {run && step ? <a href={`/runs/${run}/steps/${step}/`}>Open the attempt</a> : null}
      </Toolbar>
      {open && run && step ? (
        <WholeValue run={run} step={step} node={node} size={value?.size ?? 0} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

/** The text by which expressions read what the node gave. */
async function copyPath(node: string): Promise<void> {
  const path = `steps.${node}.output`;
  try {
    await navigator.clipboard.writeText(path);
    tell(`Copied: ${path}`);
  } catch {
    tell(`The browser did not let it be copied. The path is ${path}`, "refused");
  }
}
