// One input of a flow in a start form: the field that fits its type, with its description and what is wrong with it.
import { useId } from "react";
import type { Input } from "~/graph/document";

interface Props {
  input: Input;
  value: string | boolean;
  problem: string | undefined;
  onChange: (value: string | boolean) => void;
}

export default function InputField({ input, value, problem, onChange }: Props) {
  const id = useId();
  const described = [input.description ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  const common = {
    id,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": described || undefined,
  } as const;
  return (
    <div className="field">
      <label htmlFor={id}>
        {input.name}
        {input.required && <span className="req"> needed</span>}
      </label>
      <Field input={input} value={value} common={common} onChange={onChange} />
      {input.description && (
        <p className="help" id={`${id}-help`}>
          {input.description}
        </p>
      )}
      {problem && (
        <p className="errors" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  input: Input;
  value: string | boolean;
  common: { id: string; "aria-invalid": true | undefined; "aria-describedby": string | undefined };
  onChange: (value: string | boolean) => void;
}

function Field({ input, value, common, onChange }: FieldProps) {
  const text = typeof value === "string" ? value : "";
  switch (input.type) {
    case "boolean":
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case "long_text":
      return <textarea {...common} value={text} onChange={(event) => onChange(event.target.value)} />;
    case "object":
    case "list":
      return (
        <textarea
          {...common}
          className="json"
          value={text}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "choice":
      return (
        <select {...common} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">{input.required ? "Choose…" : "Not given"}</option>
          {input.options?.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      );
    case "date":
      return <input {...common} type="date" value={text} onChange={(event) => onChange(event.target.value)} />;
    case "number":
    case "integer":
      return <input {...common} inputMode="decimal" value={text} onChange={(event) => onChange(event.target.value)} />;
    default:
      return (
        <input
          {...common}
          type={input.sensitive ? "password" : "text"}
          autoComplete="off"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}
