// One of several values: radios for a few, a list for many, a text with suggestions where others may be named too.
import { useId } from "react";

export interface Option {
  value: string;
  label?: string;
  description?: string;
}

export interface ChoiceProps {
  label: string;
  id?: string;
  pointer?: string | undefined;
  options: readonly Option[];
  value: string;
  onChange(value: string): void;
  /** What no choice means; left out: something must be chosen. */
  none?: string | undefined;
  readOnly?: boolean | undefined;
}

export function Radios({ label, pointer, options, value, onChange, none, readOnly }: ChoiceProps) {
  const name = useId();
  const all = none === undefined ? options : [{ value: "", label: none }, ...options];
  return (
    <fieldset className="radios" aria-label={label} data-pointer={pointer} tabIndex={-1}>
      {all.map((option) => (
        <label key={option.value} className="radio">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={readOnly}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label ?? option.value}
            {option.description ? <span className="radio-help"> {option.description}</span> : null}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A list to choose from; a value that is not in it is shown and kept. */
export function Select({ label, id, pointer, options, value, onChange, none, readOnly }: ChoiceProps) {
  const isKnown = value === "" || options.some((option) => option.value === value);
  const chosen = options.find((option) => option.value === value);
  return (
    <>
      <select
        id={id}
        aria-label={label}
        data-pointer={pointer}
        value={value}
        disabled={readOnly}
        onChange={(event) => onChange(event.target.value)}
      >
        {none !== undefined || value === "" ? <option value="">{none ?? "Choose…"}</option> : null}
        {isKnown ? null : <option value={value}>{value} (not on this site)</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label ?? option.value}
          </option>
        ))}
      </select>
      {chosen?.description ? <p className="field-help">{chosen.description}</p> : null}
    </>
  );
}

/** A text with suggestions: any other may be typed. */
export function Suggested({ label, id, pointer, options, value, onChange, none, readOnly }: ChoiceProps) {
  const list = useId();
  return (
    <>
      <input
        id={id}
        aria-label={label}
        data-pointer={pointer}
        list={list}
        value={value}
        placeholder={none}
        readOnly={readOnly}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label ?? option.description}
          </option>
        ))}
      </datalist>
    </>
  );
}
