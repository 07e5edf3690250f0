// How a node's output goes into its state key: each way with what it does.
import { Radios } from "~/ui/Choice";
import { type ControlProps, useForm } from "../form/scope";

const MODES = [
  { value: "set", description: "The key gets the output." },
  { value: "append", description: "The output becomes one more item of a list." },
  { value: "extend", description: "The items of the output, a list, are added to a list." },
  { value: "merge", description: "The keys of the output, an object, are laid over an object." },
  { value: "add", description: "The output, a number, is added." },
];

export function OutputMode(props: ControlProps) {
  const { value, onChange, label, pointer } = props;
  const { readOnly, Plain } = useForm();
  if (value !== undefined && !MODES.some((mode) => mode.value === value)) return <Plain {...props} />;
  return (
    <Radios
      label={label}
      pointer={pointer}
      options={MODES.map((mode) => ({ ...mode, label: mode.value }))}
      value={(value as string | undefined) ?? "set"}
      readOnly={readOnly}
      onChange={(next) => onChange(next === "set" ? undefined : next)}
    />
  );
}
