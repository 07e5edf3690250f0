// What reviewers decide in a test: a row for each approval, in the order in which they come up.
import type { Json, JsonObject } from "~/graph/document";
import { stepsThatAsk } from "~/graph/flowTest";
import { isObject } from "~/graph/pointer";
import { useEditor } from "~/store/editor";
import { Rows } from "~/ui/Rows";
import { TextInput } from "~/ui/TextInputs";

interface Props {
  value: Json | undefined;
  readOnly: boolean;
  onChange: (value: Json | undefined) => void;
}

export default function Decisions({ value, readOnly, onChange }: Props) {
  const steps = stepsThatAsk(useEditor((state) => state.document));
  const rows: JsonObject[] = Array.isArray(value) ? value.filter(isObject) : [];
  const put = (next: JsonObject[]) => onChange(next.length ? next : undefined);
  const change = (index: number, part: JsonObject) =>
    put(rows.map((row, place) => (place === index ? { ...row, ...part } : row)));
  if (!steps.length && !rows.length) return <p className="quiet">Nobody is asked in this flow.</p>;
  return (
    <Rows
      noun="decision"
      count={rows.length}
      readOnly={readOnly}
      onAdd={() => put([...rows, { step: steps[0]?.id ?? "", approve: true }])}
      onRemove={(index) => put(rows.filter((_, place) => place !== index))}
      render={(index) => {
        const row = rows[index] ?? {};
        const step = typeof row.step === "string" ? row.step : "";
        const known = steps.some((one) => one.id === step);
        return (
          <div className="test-decision">
            <select
              aria-label="Step"
              value={step}
              disabled={readOnly}
              onChange={(event) => change(index, { step: event.target.value })}
            >
              {!known && <option value={step}>{step}</option>}
              {steps.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.label}
                </option>
              ))}
            </select>
            <select
              aria-label="Decision"
              value={row.approve === false ? "reject" : "approve"}
              disabled={readOnly}
              onChange={(event) => change(index, { approve: event.target.value === "approve" })}
            >
              <option value="approve">approved</option>
              <option value="reject">rejected</option>
            </select>
            <TextInput
              label="Comment"
              placeholder="Comment"
              readOnly={readOnly}
              value={typeof row.comment === "string" ? row.comment : ""}
              onChange={(comment) => change(index, { comment })}
            />
          </div>
        );
      }}
    />
  );
}
