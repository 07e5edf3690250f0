// A field of code: CodeMirror once it is loaded, a plain text area until then (and where it cannot be loaded).
import { lazy, Suspense } from "react";

export interface Completion {
  label: string;
  kind: "variable" | "property" | "function" | "method" | "constant";
  detail?: string;
  info?: string;
  apply?: string;
  boost?: number;
}

export interface Completions {
  /** Where in the text the word that is completed begins. */
  from: number;
  options: Completion[];
}

export interface CodeEditorProps {
  value: string;
  onChange(text: string): void;
  onBlur?(): void;
  onFocus?(): void;
  /** `=` was typed into an empty field. */
  onEquals?(): void;
  language: "expression" | "template" | "json" | "text";
  label: string;
  id?: string | undefined;
  /** JSON pointer of the field, by which it is found again. */
  pointer?: string | undefined;
  placeholder?: string | undefined;
  invalid?: boolean | undefined;
  readOnly?: boolean | undefined;
  autoFocus?: boolean | undefined;
  /** Height in lines, at least. */
  lines?: number;
  complete?: (text: string, position: number, explicit: boolean) => Promise<Completions | null>;
  /** One fault to underline. */
  mark?: { position: number; message: string } | null;
}

const CodeEditor = lazy(() => import("./CodeEditor"));

export function CodeField(props: CodeEditorProps) {
  return (
    <Suspense fallback={<PlainField {...props} />}>
      <CodeEditor {...props} />
    </Suspense>
  );
}

function PlainField({
  value,
  onChange,
  onBlur,
  label,
  id,
  pointer,
  readOnly,
  lines = 1,
  placeholder,
}: CodeEditorProps) {
  return (
    <textarea
      className="code-plain"
      rows={lines}
      value={value}
      aria-label={label}
      id={id}
      data-pointer={pointer}
      readOnly={readOnly}
      placeholder={placeholder}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onBlur}
    />
  );
}
