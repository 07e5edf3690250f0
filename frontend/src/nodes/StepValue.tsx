// A value of a step as text, folded where it is long; of a very long one the beginning.
import type { Json } from "~/graph/document";

export const SHOWN_BYTES = 64 * 1024;

export const valueText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

export default function StepValue({ title, value }: { title: string; value: Json }) {
  if (value === null || (typeof value === "object" && !Object.keys(value).length)) return null;
  const text = valueText(value);
  return (
    <details open={text.length < 2_000}>
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre className="value" tabIndex={0}>
        {text.length > SHOWN_BYTES ? `${text.slice(0, SHOWN_BYTES)}…` : text}
      </pre>
    </details>
  );
}
