// Somebody else saved the same draft: both sides, part by part. Nothing is lost until somebody has chosen.
import { useMemo, useState } from "react";
import { type FlowDocument, labelOf } from "~/graph/document";
import { type Difference, differences, merged, type Side } from "~/graph/merge";
import { useEditor } from "~/store/editor";
import { type Conflict, useSaving } from "~/store/saving";
import Dialog from "~/ui/Dialog";
import { savedBy } from "./savedBy";

export default function ConflictDialog() {
  const conflict = useSaving((state) => state.conflict);
  const base = useSaving((state) => state.saved);
  return conflict && base ? <Choice conflict={conflict} base={base} /> : null;
}

function Choice({ conflict, base }: { conflict: Conflict; base: FlowDocument }) {
  const mine = useEditor((state) => state.document);
  const found = useMemo(() => differences(base, mine, conflict.document), [base, mine, conflict]);
  const [choices, setChoices] = useState<Record<string, Side>>({});
  const person = useSaving((state) => state.person);
  const { who, told } = savedBy(conflict.updatedBy, person);
  const settle = useSaving.getState().settle;
  const actions = (
    <>
      <button type="button" onClick={() => settle(`Take the draft of ${who}`, conflict.document)}>
        Take theirs alone
      </button>
      <button type="button" onClick={() => settle("Keep my draft", mine)}>
        Keep mine alone
      </button>
      <button
        type="button"
        className="primary"
        onClick={() => settle(`Combine with the draft of ${who}`, merged(base, mine, conflict.document, choices))}
      >
        Combine both
      </button>
    </>
  );
  return (
    <Dialog title={told.replace(/^this/, "This")} actions={actions} wide>
      <p>
        Nothing is lost: yours is kept in this browser, theirs on the server. Combined, each part comes from the one who
        changed it; where both did, choose. Whatever you take, undo brings your own draft back.
      </p>
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Yours</th>
            <th scope="col">Theirs</th>
          </tr>
        </thead>
        <tbody>
          {found.map((one) => (
            <Row
              key={one.key}
              difference={one}
              side={one.changedBy === "both" ? (choices[one.key] ?? "mine") : one.changedBy}
              onChoose={(side) => setChoices({ ...choices, [one.key]: side })}
            />
          ))}
        </tbody>
      </table>
      {!found.length && <p>Both say the same.</p>}
    </Dialog>
  );
}

interface RowProps {
  difference: Difference;
  side: Side;
  onChoose: (side: Side) => void;
}

function Row({ difference, side, onChoose }: RowProps) {
  const cell = (which: Side) => (
    <td data-label={which === "mine" ? "Yours" : "Theirs"}>
      {difference.changedBy === "both" ? (
        <label className="conflict-choice">
          <input type="radio" name={difference.key} checked={side === which} onChange={() => onChoose(which)} />
          <Told value={difference[which]} base={difference.base} />
        </label>
      ) : (
        <span className={side === which ? "" : "quiet"}>
          {side === which ? <Told value={difference[which]} base={difference.base} /> : "as before"}
        </span>
      )}
    </td>
  );
  return (
    <tr>
      <th scope="row" className="conflict-part">
        {nameOf(difference)}
      </th>
      {cell("mine")}
      {cell("theirs")}
    </tr>
  );
}

function nameOf({ key, mine, theirs, base }: Difference): string {
  const [kind, id] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
  if (kind === "node") return `Node ${labelOf((mine ?? theirs ?? base) as { id: string; name?: string })}`;
  if (kind === "edge") {
    const { source, target } = (mine ?? theirs ?? base) as { source: string; target: string };
    return `Edge ${source} → ${target}`;
  }
  return id;
}

/** What a side made of a part: removed, added, or the keys that it changed. */
function Told({ value, base }: { value: unknown; base: unknown }) {
  if (value === undefined) return <em>removed</em>;
  if (base === undefined) return <em>added</em>;
  if (typeof value !== "object" || value === null) return <code>{JSON.stringify(value)}</code>;
  const before = (base ?? {}) as Record<string, unknown>;
  const changed = Object.entries(value).filter(([key, inner]) => JSON.stringify(inner) !== JSON.stringify(before[key]));
  const gone = Object.keys(before).filter((key) => !(key in value));
  return (
    <span>
      {changed.map(([key, inner]) => (
        <span key={key} className="conflict-value">
          {key}: <code>{JSON.stringify(inner).slice(0, 200)}</code>
        </span>
      ))}
      {gone.map((key) => (
        <span key={key} className="conflict-value">
          {key} removed
        </span>
      ))}
    </span>
  );
}
