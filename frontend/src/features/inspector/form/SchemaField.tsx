// One field of a form that is made out of a JSON Schema: the control that its shape asks for, with label and help.
import { useId } from "react";
import type { Json } from "~/graph/document";
import { blankOf, inWords, isRadio, plain, type Shape, shapeOf } from "~/graph/schema";
import { isComputed } from "~/graph/values";
import { usePanels } from "~/store/panels";
import { Radios, Select } from "~/ui/Choice";
import { JsonField } from "~/ui/JsonField";
import { Labelled, Notes } from "~/ui/Labelled";
import { NumberInput, TextInput } from "~/ui/TextInputs";
import { ExpressionField } from "../fields/ExpressionField";
import { ListField } from "./ListField";
import { ObjectField } from "./ObjectField";
import { type ControlProps, endGesture, type FieldProps, useForm, useNotes } from "./scope";
import { TemplateField } from "./TemplateField";
import { VariantField } from "./VariantField";
import { placeholderOf, unitOf } from "./words";

/** A field with all around it. With `bare` only the control. */
export function SchemaField(props: FieldProps) {
  const { pointer, label, required, bare, value, onChange, mode } = props;
  const { defs, readOnly, refine, place } = useForm();
  const id = useId();
  const notes = useNotes(pointer);
  const schema = plain(props.schema, defs);
  const shape = shapeOf(schema, defs);
  const Refined = refine(pointer);
  /** The button that was pressed goes away with its press: the focus goes to what takes its place. */
  const turn = (next: Json | undefined) => {
    onChange(next);
    usePanels.getState().openInspector(place, pointer);
  };
  const isLeft = value === undefined && isLarge(shape) && !required && !props.shown && !Refined;
  const control = isLeft ? (
    <button
      type="button"
      className="quiet-button"
      data-pointer={pointer}
      disabled={readOnly}
      onClick={() => turn(blankOf(schema, defs))}
    >
      Set {label.toLowerCase()}
    </button>
  ) : Refined ? (
    <Refined {...props} schema={schema} shape={shape} id={id} />
  ) : (
    <Control {...props} schema={schema} shape={shape} id={id} />
  );
  if (bare) {
    return notes.length ? (
      <div>
        {control}
        <Notes notes={notes} />
      </div>
    ) : (
      control
    );
  }
  const isNamed = isLabelable(shape) && mode === "plain" && !isLeft && !Refined;
  const removable = !required && !props.shown && value !== undefined && isLarge(shape) && !readOnly;
  return (
    <Labelled
      label={label}
      htmlFor={isNamed ? id : undefined}
      group={!isNamed}
      help={textOf(schema.description)}
      required={required ?? false}
      notes={notes}
      pointer={pointer}
      actions={
        removable ? (
          <button type="button" className="quiet-button small" onClick={() => turn(undefined)}>
            Leave out
          </button>
        ) : null
      }
    >
      {control}
    </Labelled>
  );
}

function Control(props: ControlProps) {
  const { mode, value, shape } = props;
  if (isComputed(value) && mode !== "plain") return <TemplateField {...props} />;
  if (mode === "expression" && shape.kind === "text") return <BareExpression {...props} />;
  return mode === "template" ? <TemplateField {...props} /> : <PlainControl {...props} />;
}

/** A text that is an expression, without a switch: nothing else may stand there. */
function BareExpression({ label, pointer, value, schema, required, onChange }: ControlProps) {
  if (value !== undefined && typeof value !== "string") return null;
  return (
    <ExpressionField
      label={label}
      pointer={pointer}
      text={value ?? ""}
      kind={expressionKind(pointer)}
      placeholder={placeholderOf(schema)}
      onChange={(next) => onChange(next === "" && !required ? undefined : next)}
    />
  );
}

/** The control of a value that is written out. */
export function PlainControl(props: ControlProps) {
  const { shape, value, onChange, label, pointer, id, schema } = props;
  const { readOnly } = useForm();
  const common = { label, pointer, id, readOnly, onBlur: endGesture, placeholder: placeholderOf(schema) };
  switch (shape.kind) {
    case "text":
      if (value !== undefined && typeof value !== "string") return <Raw {...props} />;
      return (
        <TextInput
          {...common}
          long={shape.long || LONG.test(pointer)}
          value={value ?? ""}
          onChange={(text) => onChange(text === "" && !props.required ? undefined : text)}
        />
      );
    case "number":
      if (value !== undefined && typeof value !== "number") return <Raw {...props} />;
      return <NumberInput {...common} {...shape} value={value} onChange={onChange} unit={unitOf(pointer, value)} />;
    case "boolean":
      if (value !== undefined && typeof value !== "boolean") return <Raw {...props} />;
      return <BooleanControl {...props} />;
    case "choice":
      return <ChoiceControl {...props} options={shape.options} />;
    case "list":
      return <ListField {...props} items={shape.items} />;
    case "object":
      return <ObjectField {...props} shape={shape} />;
    case "variants":
    case "any":
      return <VariantField {...props} />;
    default:
      return <Raw {...props} />;
  }
}

function Raw({ label, pointer, value, onChange }: FieldProps) {
  const { readOnly } = useForm();
  return (
    <JsonField
      label={`${label} as JSON`}
      pointer={pointer}
      value={value}
      onChange={onChange}
      onBlur={endGesture}
      readOnly={readOnly}
    />
  );
}

function BooleanControl({ label, pointer, value, onChange, schema, id }: ControlProps) {
  const { readOnly } = useForm();
  const usual = schema.default === true;
  const isOn = value === undefined ? usual : value === true;
  return (
    <label className="check">
      <input
        id={id}
        type="checkbox"
        data-pointer={pointer}
        aria-label={label}
        checked={isOn}
        disabled={readOnly}
        onChange={(event) => onChange(event.target.checked === usual ? undefined : event.target.checked)}
      />
      <span>{isOn ? "Yes" : "No"}</span>
    </label>
  );
}

function ChoiceControl(props: ControlProps & { options: Json[] }) {
  const { options, value, onChange, label, pointer, schema, required } = props;
  const { readOnly } = useForm();
  const written = options.map((option) => ({ value: JSON.stringify(option), label: wordsOf(option) }));
  const usual = schema.default;
  const shown = value ?? (usual as Json | undefined);
  const given = {
    label,
    pointer,
    readOnly,
    options: written,
    value: shown === undefined || shown === null ? (value === null ? "null" : "") : JSON.stringify(shown),
    onChange: (text: string) => {
      const next = text === "" ? undefined : (JSON.parse(text) as Json);
      onChange(next !== undefined && next === usual && !required ? undefined : next);
    },
    none: required || usual !== undefined ? undefined : "Not set",
  };
  const isKnown = given.value === "" || written.some((option) => option.value === given.value);
  return isRadio(options) && isKnown ? <Radios {...given} /> : <Select {...given} />;
}

/** A long list of fields inside: set only on demand. */
function isLarge(shape: Shape): boolean {
  return shape.kind === "list" || shape.kind === "object" || shape.kind === "json" || shape.kind === "variants";
}

function isLabelable(shape: Shape): boolean {
  return shape.kind === "text" || shape.kind === "number" || shape.kind === "boolean";
}

const LONG = /\/(description|notes)$/;

function expressionKind(pointer: string): "condition" | "expression" {
  return /\/(when|stop_when)$/.test(pointer) || pointer.startsWith("/config/checks") ? "condition" : "expression";
}

function wordsOf(option: Json): string {
  return typeof option === "string" ? inWords(option) || option : JSON.stringify(option);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
