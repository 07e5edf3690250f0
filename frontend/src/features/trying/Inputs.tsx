// With which inputs a try begins, as JSON; left empty, it takes those of the newest run.
import type { JsonObject } from "~/graph/document";
import { JsonField } from "~/ui/JsonField";

interface Props {
  value: JsonObject | undefined;
  onChange: (value: JsonObject | undefined) => void;
  /** Told whether what is written is none. A function that stays the same. */
  onFault: (isFaulty: boolean) => void;
  open?: boolean;
}

export default function Inputs({ value, onChange, onFault, open = false }: Props) {
  return (
    <details open={open} className="try-inputs">
      <summary>Inputs</summary>
      <p className="quiet small">Left empty: those of the newest run, or of the first flow test.</p>
      <JsonField
        label="Inputs, as JSON"
        value={value}
        lines={3}
        placeholder='{"name": "value"}'
        refuse={(given) => (isObject(given) ? null : 'Inputs are an object: {"name": "value"}.')}
        onFault={onFault}
        onChange={(given) => onChange(given === undefined ? undefined : (given as JsonObject))}
      />
    </details>
  );
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
