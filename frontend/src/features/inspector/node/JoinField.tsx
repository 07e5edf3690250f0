// What starts a node to which several paths lead: each choice with what it means.
import { Radios } from "~/ui/Choice";
import { NumberInput } from "~/ui/TextInputs";
import { type ControlProps, endGesture, useForm } from "../form/scope";

const CHOICES = [
  { value: "each", label: "Each path", description: "Every path that arrives starts it anew. The usual way." },
  {
    value: "active",
    label: "All that can still come",
    description: "Once, as soon as no living path can reach it any more.",
  },
  { value: "any", label: "The first path", description: "The first that arrives starts it; later ones are absorbed." },
  {
    value: "all",
    label: "Every source",
    description: "Once every node with an edge to it has arrived. One that never comes is a deadlock.",
  },
  { value: "number", label: "A number of paths", description: "At that arrival; later ones are absorbed." },
];

export function JoinField(props: ControlProps) {
  const { value, onChange, label, pointer } = props;
  const { readOnly, Plain } = useForm();
  const isNumber = typeof value === "number";
  if (value !== undefined && typeof value !== "string" && !isNumber) return <Plain {...props} />;
  return (
    <>
      <Radios
        label={label}
        pointer={pointer}
        options={CHOICES}
        value={isNumber ? "number" : (value ?? "each")}
        readOnly={readOnly}
        onChange={(next) => onChange(next === "number" ? 2 : next === "each" ? undefined : next)}
      />
      {isNumber ? (
        <NumberInput
          label="Number of paths"
          whole
          least={1}
          value={value}
          readOnly={readOnly}
          onBlur={endGesture}
          onChange={(next) => onChange(next ?? 1)}
        />
      ) : null}
    </>
  );
}
