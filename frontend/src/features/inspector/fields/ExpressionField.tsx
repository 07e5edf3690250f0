// Fields of expressions and of texts with placeholders: completion out of the server's names, its evaluator's answer below.
import { useId, useState } from "react";
import type { PreviewKind } from "~/api/expressions";
import {
  CONDITION_METHODS,
  insidePlaceholder,
  pathAt,
  placeholderSuggestionsAt,
  suggestionsAt,
} from "~/graph/completion";
import { namesAt } from "~/store/names";
import { CodeField, type Completions } from "~/ui/CodeField";
import { endGesture, useForm, useNotes } from "../form/scope";
import { PreviewLine } from "./PreviewLine";
import { usePreview } from "./usePreview";

export interface ExpressionFieldProps {
  label: string;
  pointer: string;
  text: string;
  onChange(text: string): void;
  /** `value` may call functions, `condition` and `expression` may not; `template` is a text with placeholders. */
  kind: PreviewKind;
  onEquals?: () => void;
  placeholder?: string;
  lines?: number;
}

function isAskedFor(kind: PreviewKind, text: string, position: number, explicit: boolean): boolean {
  if (kind === "template") return insidePlaceholder(text, position);
  const { keys, word } = pathAt(text, position);
  return explicit || keys.length > 0 || word !== "";
}

export function ExpressionField(props: ExpressionFieldProps) {
  const { label, pointer, text, onChange, kind, onEquals, placeholder, lines } = props;
  const { flow, spot, readOnly } = useForm();
  const notes = useNotes(pointer);
  const [active, setActive] = useState(false);
  const isAsked = active && text.trim() !== "" && (kind !== "template" || text.includes("{{") || text.startsWith("$"));
  const told = usePreview(kind, text, isAsked);
  const id = useId();
  const error = told && "preview" in told && told.about === text ? told.preview.error : null;
  const field = /^\/config\/stop_when/.test(pointer) ? pointer : undefined;

  async function complete(written: string, position: number, explicit: boolean): Promise<Completions | null> {
    if (!isAskedFor(kind, written, position, explicit)) return null;
    const { names, functions } = await namesAt(flow, field ? { ...spot, field } : spot);
    if (kind === "template") return placeholderSuggestionsAt(written, position, names);
    return suggestionsAt(
      written,
      position,
      names,
      kind === "value" ? [...functions, ...CONDITION_METHODS] : CONDITION_METHODS,
    );
  }

  return (
    <>
      <CodeField
        id={id}
        language={kind === "template" ? "template" : "expression"}
        label={label}
        pointer={pointer}
        value={text}
        onChange={onChange}
        onFocus={() => setActive(true)}
        onBlur={endGesture}
        {...(onEquals ? { onEquals } : {})}
        complete={complete}
        placeholder={placeholder}
        readOnly={readOnly}
        invalid={error !== null || notes.some((note) => note.severity === "error")}
        lines={lines ?? 1}
        mark={error?.position === null || !error ? null : { position: error.position, message: error.message }}
      />
      {active ? <PreviewLine told={told} text={text} /> : null}
    </>
  );
}
