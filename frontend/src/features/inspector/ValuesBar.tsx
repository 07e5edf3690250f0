// Where previews take their values from: a past run, or sample values that are written here and stay in this browser.

import { isObject } from "~/graph/pointer";
import { runWords } from "~/nodes/runWords";
import { useValues } from "~/store/values";
import { JsonField } from "~/ui/JsonField";

export default function ValuesBar() {
  const { runs, run, sample } = useValues();
  const { choose, refresh, setSample } = useValues.getState();
  const latest = runs.find((one) => !one.trial);
  return (
    <div className="values-bar">
      <label>
        Preview with{" "}
        <select value={run ?? ""} onFocus={refresh} onChange={(event) => choose(event.target.value || null)}>
          {runs.map((one) => (
            <option key={one.id} value={one.id}>
              {`Run ${runWords(one)}${one === latest ? " (latest)" : ""}`}
            </option>
          ))}
          <option value="">Sample values</option>
        </select>
      </label>
      {run === null ? (
        <details>
          <summary>Edit sample values</summary>
          <JsonField
            label="Sample values, by name, as JSON"
            value={Object.keys(sample).length ? sample : undefined}
            lines={4}
            onChange={(next) => setSample(isObject(next) ? next : {})}
            refuse={(value) => (isObject(value) ? null : "Write an object: names with their values.")}
          />
          <p className="field-help">
            State keys by name; steps, item, output and others are given likewise. Kept in this browser only.
          </p>
        </details>
      ) : null}
    </div>
  );
}
