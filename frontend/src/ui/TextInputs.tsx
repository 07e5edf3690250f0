// Texts and numbers. A number stays as it is typed until it is one, so that "1." and "-" can be written.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";

interface Common {
  label: string;
  id?: string | undefined;
  pointer?: string | undefined;
  placeholder?: string | undefined;
  readOnly?: boolean | undefined;
  onBlur?: (() => void) | undefined;
  /** Escape takes back what was typed; it goes no further. */
  onEscape?: (() => void) | undefined;
  invalid?: boolean | undefined;
}

export function TextInput(props: Common & { value: string; onChange(text: string): void; long?: boolean }) {
  const { label, id, pointer, placeholder, readOnly, onBlur, onEscape, invalid, value, onChange, long } = props;
  const common = {
    id,
    "aria-label": label,
    "data-pointer": pointer,
    placeholder,
    readOnly,
    onBlur,
    value,
    "aria-invalid": invalid || undefined,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !onEscape) return;
      event.preventDefault();
      onEscape();
    },
  };
  if (long) return <textarea {...common} rows={3} onChange={(event) => onChange(event.target.value)} />;
  return <input {...common} type="text" autoComplete="off" onChange={(event) => onChange(event.target.value)} />;
}

interface NumberProps extends Common {
  value: number | undefined;
  onChange(value: number | undefined): void;
  whole?: boolean;
  least?: number | undefined;
  most?: number | undefined;
  /** Shown behind the field. */
  unit?: string | undefined;
}

export function NumberInput(props: NumberProps) {
  const { label, id, pointer, placeholder, readOnly, onBlur, value, onChange, whole, least, most, unit } = props;
  const [text, setText] = useState(() => written(value));
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setText(written(value));
    told.current = value;
  }, [value]);
  const number = text.trim() === "" ? undefined : Number(text);
  const fault = number === undefined ? null : faultOf(number, whole, least, most);

  function change(next: string) {
    setText(next);
    const given = next.trim() === "" ? undefined : Number(next);
    if (given !== undefined && !Number.isFinite(given)) return;
    told.current = given;
    onChange(given);
  }

  return (
    <>
      <span className="number-field">
        <input
          id={id}
          aria-label={label}
          data-pointer={pointer}
          type="text"
          inputMode={whole ? "numeric" : "decimal"}
          autoComplete="off"
          value={text}
          placeholder={placeholder}
          readOnly={readOnly}
          aria-invalid={fault ? true : undefined}
          onChange={(event) => change(event.target.value)}
          onBlur={onBlur}
        />
        {unit ? <span className="number-unit">{unit}</span> : null}
      </span>
      {fault ? <p className="field-note field-note-error">{fault}</p> : null}
    </>
  );
}

function written(value: number | undefined): string {
  return value === undefined ? "" : String(value);
}

function faultOf(number: number, whole?: boolean, least?: number, most?: number): string | null {
  if (!Number.isFinite(number)) return "Write a number, such as 2 or 0.5.";
  if (whole && !Number.isInteger(number)) return "Write a whole number.";
  if (least !== undefined && number < least) return `Write ${least} or more.`;
  if (most !== undefined && number > most) return `Write ${most} or less.`;
  return null;
}
