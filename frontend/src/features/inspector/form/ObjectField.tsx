// An object: the fields that its schema names, rows of key and value for the others. No key is ever dropped.
import { type ReactNode, useState } from "react";
import type { Json, JsonObject } from "~/graph/document";
import { isObject, join, renamedKey } from "~/graph/pointer";
import { plain, type Schema, type Shape, titleOf, unknownKeys } from "~/graph/schema";
import { isComputed } from "~/graph/values";
import { JsonField } from "~/ui/JsonField";
import { Rows } from "~/ui/Rows";
import { TextInput } from "~/ui/TextInputs";
import { Folded, MANY_ROWS } from "./Folded";
import { endGesture, type FieldProps, useForm } from "./scope";

type ObjectShape = Extract<Shape, { kind: "object" }>;

export function ObjectField(props: FieldProps & { shape: ObjectShape }) {
  const { value, onChange, pointer, label, shape, mode } = props;
  const { readOnly } = useForm();
  if (value !== undefined && !isObject(value)) {
    return (
      <JsonField label={`${label} as JSON`} pointer={pointer} value={value} onChange={onChange} readOnly={readOnly} />
    );
  }
  const object = value ?? {};
  return (
    <div className={shape.properties.length ? "object" : "map"} data-pointer={pointer} tabIndex={-1}>
      <Properties shape={shape} object={object} pointer={pointer} mode={mode} onChange={onChange} />
      <OtherKeys {...props} object={object} />
    </div>
  );
}

interface PropertiesProps {
  shape: ObjectShape;
  object: JsonObject;
  pointer: string;
  mode: FieldProps["mode"];
  onChange(next: JsonObject): void;
}

export function Properties({ shape, object, pointer, mode, onChange }: PropertiesProps) {
  const { defs, Field } = useForm();
  return shape.properties.map(([key, part]) => (
    <Field
      key={key}
      pointer={join(pointer, key)}
      schema={part}
      label={titleOf(key, plain(part, defs))}
      required={shape.required.has(key)}
      mode={mode}
      value={Object.hasOwn(object, key) ? object[key] : undefined}
      onChange={(next) => onChange(withKey(object, key, next))}
    />
  ));
}

export function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _, ...rest } = object;
  return rest;
}

/** Keys that the schema does not name: its own where it allows more, else those that are there all the same. */
function OtherKeys(props: FieldProps & { shape: ObjectShape; object: JsonObject }) {
  const { object, shape, onChange, pointer, mode, label } = props;
  const { readOnly, Field } = useForm();
  const keys = unknownKeys(object, shape);
  // Decided once: rows must not fold while somebody adds to them.
  const [isLong] = useState(keys.length > MANY_ROWS);
  const schema: Schema = shape.others ?? {};
  if (!keys.length && shape.others === null) return null;
  return (
    <>
      {shape.others === null ? (
        <p className="field-help">Keys that this form does not know, kept as they are:</p>
      ) : null}
      <Rows
        noun={shape.properties.length ? "key" : `${label.toLowerCase().replace(/s$/, "")} key`}
        count={keys.length}
        readOnly={readOnly}
        onRemove={(index) => onChange(withKey(object, keys[index] ?? "", undefined))}
        onAdd={shape.others === null ? undefined : () => onChange({ ...object, [freeKey(object)]: "" })}
        addLabel="Add a key"
        nameOf={(index) => keys[index] ?? ""}
        render={(index) => {
          const key = keys[index] ?? "";
          const row = (
            <div className="key-value">
              <KeyInput object={object} name={key} onRename={(to) => onChange(renamedKey(object, key, to))} />
              <Field
                bare
                required
                pointer={join(pointer, key)}
                schema={schema}
                label={key}
                mode={shape.others === null ? "plain" : mode}
                value={object[key]}
                onChange={(next) => onChange({ ...object, [key]: next ?? null })}
              />
            </div>
          );
          if (!isLong) return row;
          return (
            <FoldedKey pointer={join(pointer, key)} name={key} value={object[key]}>
              {row}
            </FoldedKey>
          );
        }}
      />
    </>
  );
}

interface FoldedKeyProps {
  pointer: string;
  name: string;
  value: Json | undefined;
  children: ReactNode;
}

/** Among many keys each is a line at first: its name, and its value as far as there is room. */
function FoldedKey({ pointer, name, value, children }: FoldedKeyProps) {
  const [isNew] = useState(value === "");
  return (
    <Folded
      pointer={pointer}
      isOpen={isNew}
      summary={
        <>
          {name} <span className="folded-value">{valueWords(value)}</span>
        </>
      }
    >
      {children}
    </Folded>
  );
}

function valueWords(value: Json | undefined): string {
  if (isComputed(value)) return value.$expr;
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** The name of a key; it counts when the field is left, and not if it is taken. */
function KeyInput({ object, name, onRename }: { object: JsonObject; name: string; onRename(to: string): void }) {
  const { readOnly } = useForm();
  const [text, setText] = useState<string | null>(null);
  const isTaken = text !== null && text !== name && Object.hasOwn(object, text);
  return (
    <span className="key-name">
      <TextInput
        label={`Name of the key ${name}`}
        value={text ?? name}
        onChange={setText}
        readOnly={readOnly}
        onBlur={() => {
          if (text !== null && text !== name && text !== "" && !isTaken) onRename(text);
          setText(null);
          endGesture();
        }}
      />
      {isTaken ? <span className="field-note field-note-error">There is such a key already.</span> : null}
    </span>
  );
}

function freeKey(object: JsonObject): string {
  for (let number = 1; ; number += 1) if (!Object.hasOwn(object, `key${number}`)) return `key${number}`;
}
