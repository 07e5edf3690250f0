// Where nodes ran several times: which item of a container, and which visit, is looked at.
import { labelOf } from "~/graph/document";
import { wiringOf } from "~/graph/wiring";
import { useEditor } from "~/store/editor";
import type { LoopObserved, Observed } from "~/store/observed";
import { useObserving } from "~/store/observing";

export default function Passages({ observed }: { observed: Observed }) {
  const visits = Math.max(1, ...[...observed.nodes.values()].map((one) => one.visits ?? 1));
  const visit = useObserving((state) => state.visit);
  return (
    <>
      {(observed.loops ?? []).map((loop) => (
        <Items key={loop.node} loop={loop} />
      ))}
      {visits > 1 ? (
        <Numbered
          label="Visit"
          value={Math.min(visit ?? visits, visits)}
          most={visits}
          onChange={(next) => void useObserving.getState().lookAtVisit(next === visits ? null : next)}
        />
      ) : null}
    </>
  );
}

function Items({ loop }: { loop: LoopObserved }) {
  const name = useEditor((state) => labelOf(wiringOf(state.document).nodes.get(loop.node) ?? { id: loop.node }));
  const look = (item: number) => void useObserving.getState().look({ loop: loop.node, item });
  const others = loop.failed.filter((item) => item !== loop.item);
  const next = others.find((item) => item > loop.item) ?? others[0];
  return (
    <span className="observed-passage">
      <Numbered
        label={`Item of ${name}`}
        value={loop.item + 1}
        most={loop.items}
        onChange={(number) => look(number - 1)}
      />
      {loop.failed.includes(loop.item) ? <span className="mark mark-failed">failed</span> : null}
      {next === undefined ? null : (
        <button type="button" className="plain" onClick={() => look(next)}>
          Next failed item
        </button>
      )}
    </span>
  );
}

interface NumberedProps {
  label: string;
  value: number;
  most: number;
  onChange: (value: number) => void;
}

/** A number from 1, with a step to either side. */
function Numbered({ label, value, most, onChange }: NumberedProps) {
  return (
    <label className="observed-number">
      {label}{" "}
      <input
        type="number"
        min={1}
        max={most}
        value={value}
        onChange={(event) => {
          const next = event.target.valueAsNumber;
          if (Number.isInteger(next) && next >= 1 && next <= most && next !== value) onChange(next);
        }}
      />{" "}
      of {most}
    </label>
  );
}
