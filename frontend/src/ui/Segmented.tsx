// One of a few ways, as a row of buttons that belong together: one tab stop.
import { useOneStop } from "./oneStop";

export interface SegmentedProps<Value> {
  label: string;
  options: readonly { value: Value; label: string; title?: string }[];
  value: Value | null;
  onChange(value: Value): void;
  disabled?: boolean | undefined;
  small?: boolean;
}

export function Segmented<Value extends string | number>(props: SegmentedProps<Value>) {
  const { label, options, value, onChange, disabled, small } = props;
  const stop = useOneStop<HTMLFieldSetElement>({ pressedFirst: true });
  return (
    <fieldset
      {...stop}
      className={`segmented${small ? " segmented-small" : ""}`}
      aria-label={label}
      disabled={disabled}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          title={option.title}
          onClick={() => option.value !== value && onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
