// A value that may be written out, be a text with placeholders, or be worked out: a switch says which, and keeps what
// was written in the other ways while the form is open.
import { useRef } from "react";
import type { Json } from "~/graph/document";
import { blankOf, type Shape } from "~/graph/schema";
import { isComputed, type Source, sourceOf, toExpression, toTemplate } from "~/graph/values";
import { Segmented } from "~/ui/Segmented";
import { ExpressionField } from "../fields/ExpressionField";
import { type ControlProps, useForm } from "./scope";
import { placeholderOf } from "./words";

const LABELS: Record<Source, { label: string; title: string }> = {
  fixed: { label: "Value", title: "Written out" },
  template: { label: "Text", title: "A text with {{placeholders}}; one placeholder alone passes the value itself" },
  expression: { label: "fx", title: "Worked out by an expression" },
};

export function TemplateField(props: ControlProps) {
  const { value, onChange, shape, label, schema } = props;
  const { readOnly, defs, Plain } = useForm();
  const kept = useRef<Partial<Record<Source, Json | undefined>>>({});
  const sources = sourcesOf(shape);
  const source = isComputed(value) ? "expression" : sources.includes("fixed") ? fixedOrText(value, shape) : "template";

  function choose(next: Source) {
    kept.current[source] = value;
    const before = kept.current[next];
    if (next === "expression") onChange(before ?? toExpression(value));
    else if (next === "template") onChange(toTemplate(value) ?? before ?? "");
    else onChange(before ?? fixedOf(value) ?? blankOf(schema, defs));
  }

  return (
    <div className="sourced">
      <Segmented
        small
        label={`How ${label.toLowerCase()} is given`}
        options={sources.map((one) => ({ value: one, ...LABELS[one] }))}
        value={source}
        onChange={choose}
        disabled={readOnly}
      />
      {source === "fixed" ? <Plain {...props} /> : null}
      {source === "template" ? <TextSource {...props} onEquals={() => choose("expression")} /> : null}
      {source === "expression" ? <ComputedSource {...props} /> : null}
    </div>
  );
}

function TextSource(props: ControlProps & { onEquals(): void }) {
  const { label, pointer, value, schema, required, onChange, onEquals } = props;
  return (
    <ExpressionField
      label={label}
      pointer={pointer}
      text={typeof value === "string" ? value : ""}
      kind="template"
      lines={isLongText(pointer) ? 4 : 1}
      placeholder={placeholderOf(schema)}
      onEquals={onEquals}
      onChange={(text) => onChange(text === "" && !required ? undefined : text)}
    />
  );
}

function ComputedSource({ label, pointer, value, onChange }: ControlProps) {
  return (
    <ExpressionField
      label={`${label}, expression`}
      pointer={pointer}
      text={isComputed(value) ? value.$expr : ""}
      kind="value"
      onChange={(text) => onChange({ $expr: text })}
    />
  );
}

/** Where anything may stand, a text is one of the kinds of value: the switch of kinds is inside. */
function sourcesOf(shape: Shape): Source[] {
  if (shape.kind === "any" || shape.kind === "variants") return ["fixed", "expression"];
  return shape.kind === "text" ? ["template", "expression"] : ["fixed", "template", "expression"];
}

function fixedOrText(value: Json | undefined, shape: Shape): Source {
  return sourcesOf(shape).includes("template") ? sourceOf(value, false) : "fixed";
}

/** What an expression that is only a literal says. */
function fixedOf(value: Json | undefined): Json | undefined {
  if (!isComputed(value)) return undefined;
  try {
    return JSON.parse(value.$expr) as Json;
  } catch {
    return toTemplate(value) ?? undefined;
  }
}

function isLongText(pointer: string): boolean {
  return /\/(prompt|system|instructions|content|message|text|body|description)$/.test(pointer);
}
