// Any value as JSON text. What is typed counts once it is JSON; until then the value stays as it was, and the field says so.
import { useEffect, useRef, useState } from "react";
import { CodeField } from "./CodeField";

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export interface JsonFieldProps {
  label: string;
  value: JsonValue | undefined;
  onChange(value: JsonValue | undefined): void;
  onBlur?(): void;
  pointer?: string | undefined;
  readOnly?: boolean | undefined;
  lines?: number;
  placeholder?: string | undefined;
  /** Why a value is refused beyond being no JSON, or null. */
  refuse?: (value: JsonValue) => string | null;
  /** Whether what is written is refused, so that `value` is not what is seen. A function that stays the same. */
  onFault?: (isFaulty: boolean) => void;
}

export function JsonField(props: JsonFieldProps) {
  const { label, value, onChange, onBlur, pointer, readOnly, lines = 3, placeholder, refuse, onFault } = props;
  const [text, setText] = useState(() => pretty(value));
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current && pretty(value) !== pretty(told.current)) setText(pretty(value));
    told.current = value;
  }, [value]);
  const fault = faultOf(text, refuse);
  const isFaulty = fault !== null;
  useEffect(() => onFault?.(isFaulty), [isFaulty, onFault]);

  function change(next: string) {
    setText(next);
    if (faultOf(next, refuse) !== null) return;
    const given = next.trim() === "" ? undefined : (JSON.parse(next) as JsonValue);
    told.current = given;
    onChange(given);
  }

  return (
    <>
      <CodeField
        language="json"
        label={label}
        value={text}
        onChange={change}
        onBlur={onBlur}
        pointer={pointer}
        readOnly={readOnly}
        lines={lines}
        placeholder={placeholder}
        invalid={isFaulty}
      />
      {fault ? <p className="field-note field-note-error">{fault}</p> : null}
    </>
  );
}

export function pretty(value: JsonValue | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function faultOf(text: string, refuse?: (value: JsonValue) => string | null): string | null {
  if (text.trim() === "") return null;
  try {
    const value = JSON.parse(text) as JsonValue;
    return refuse?.(value) ?? null;
  } catch (error) {
    return `This is no JSON yet, so the value stays as it was. ${error instanceof Error ? error.message : ""}`;
  }
}
