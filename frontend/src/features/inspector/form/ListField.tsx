// A list as rows, each with the field that its schema asks for.
import { type ReactNode, useState } from "react";
import type { Json } from "~/graph/document";
import { isObject, join, moved } from "~/graph/pointer";
import { blankOf, type Schema, shapeOf } from "~/graph/schema";
import { isComputed } from "~/graph/values";
import { JsonField } from "~/ui/JsonField";
import { Rows } from "~/ui/Rows";
import { Folded, MANY_ROWS } from "./Folded";
import { type FieldProps, useForm } from "./scope";

export function ListField(props: FieldProps & { items: Schema }) {
  const { value, onChange, pointer, label, items, mode } = props;
  const { readOnly, defs, Field } = useForm();
  // Whether it folds is decided once: it must not close while somebody adds to it.
  const [isLong] = useState(() => Array.isArray(value) && value.length > MANY_ROWS && !value.some(isObject));
  if (value !== undefined && !Array.isArray(value)) {
    return (
      <JsonField label={`${label} as JSON`} pointer={pointer} value={value} onChange={onChange} readOnly={readOnly} />
    );
  }
  const list = value ?? [];
  const noun = singular(label);
  const rows = (
    <div data-pointer={pointer} tabIndex={-1}>
      <Rows
        noun={noun}
        count={list.length}
        readOnly={readOnly}
        onAdd={() => onChange([...list, blankOf(items, defs)])}
        onMove={(from, to) => onChange([...moved(list, from, to)])}
        onRemove={(index) => onChange(list.filter((_, place) => place !== index))}
        render={(index) => (
          <Item
            pointer={join(pointer, index)}
            index={index}
            value={list[index]}
            isObject={shapeOf(items, defs).kind === "object" && !isComputed(list[index])}
            noun={noun}
          >
            <Field
              bare
              required
              pointer={join(pointer, index)}
              schema={items}
              label={`${noun} ${index + 1}`}
              mode={mode}
              value={list[index]}
              onChange={(next) => onChange(list.map((item, place): Json => (place === index ? (next ?? null) : item)))}
            />
          </Item>
        )}
      />
    </div>
  );
  return isLong ? (
    <Folded pointer={pointer} isOpen={false} summary={`${list.length}: ${list.map(toText).join(", ")}`}>
      {rows}
    </Folded>
  ) : (
    rows
  );
}

const toText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

interface ItemProps {
  pointer: string;
  index: number;
  value: Json | undefined;
  isObject: boolean;
  noun: string;
  children: ReactNode;
}

/** Items of several fields fold away behind what they are called. */
function Item({ pointer, index, value, isObject: folds, noun, children }: ItemProps) {
  const name = nameOf(value);
  // A new one stays open while it gets its name.
  const [isNew] = useState(name === "");
  if (!folds) return children;
  return (
    <Folded
      pointer={pointer}
      isOpen={isNew}
      summary={
        <>
          {name || `New ${noun}`}
          <span className="visually-hidden">
            , {noun} {index + 1}
          </span>
        </>
      }
    >
      {children}
    </Folded>
  );
}

function nameOf(value: Json | undefined): string {
  if (!isObject(value)) return "";
  const told = ["name", "id", "tool", "title"]
    .map((key) => value[key])
    .find((one) => typeof one === "string" && one !== "");
  const kind = value.type ?? value.effect;
  return typeof told === "string" ? (typeof kind === "string" ? `${told}: ${kind.replaceAll("_", " ")}` : told) : "";
}

export function singular(label: string): string {
  const word = label.toLowerCase();
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : `${word} item`;
}
