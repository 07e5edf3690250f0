// The config of a node, out of its type's schema. Of a type that this site does not have it is JSON.
import type { FlowNode, Json, JsonObject } from "~/graph/document";
import { isObject, join } from "~/graph/pointer";
import { plain, shapeOf, titleOf, unknownKeys } from "~/graph/schema";
import { useNodeType } from "~/store/catalog";
import { JsonField } from "~/ui/JsonField";
import { Labelled, Notes } from "~/ui/Labelled";
import { write } from "../form/SchemaForm";
import { endGesture, type Mode, useForm, useNotes } from "../form/scope";

export function ConfigFields({ node }: { node: FlowNode }) {
  const type = useNodeType(node.type);
  const { defs, Field, readOnly } = useForm();
  const config: JsonObject = isObject(node.config) ? node.config : {};
  const shape = type ? shapeOf(type.config_schema, defs) : null;
  const change = (key: string, label: string) => (next: Json | undefined) =>
    write({ kind: "node", id: node.id }, join("/config", key), label, next);
  if (!type || shape?.kind !== "object") {
    return (
      <Labelled label="Config" group pointer="/config">
        <JsonField
          label="Config as JSON"
          pointer="/config"
          value={config}
          lines={6}
          readOnly={readOnly}
          onBlur={endGesture}
          onChange={(next) => next !== undefined && write({ kind: "node", id: node.id }, "/config", "Config", next)}
        />
      </Labelled>
    );
  }
  const modeOf = (key: string): Mode =>
    type.expression_fields.includes(key) ? "expression" : type.template_fields.includes(key) ? "template" : "plain";
  return (
    <>
      <ConfigNotes />
      {shape.properties.map(([key, part]) => {
        const label = titleOf(key, plain(part, defs));
        return (
          <Field
            key={key}
            pointer={join("/config", key)}
            schema={part}
            label={label}
            required={shape.required.has(key)}
            mode={modeOf(key)}
            value={config[key]}
            onChange={change(key, label)}
          />
        );
      })}
      {unknownKeys(config, shape).map((key) => (
        <Field
          key={key}
          pointer={join("/config", key)}
          schema={{ description: "A key that the form does not know; it is kept.", not: {} }}
          label={key}
          mode="plain"
          value={config[key]}
          onChange={change(key, key)}
        />
      ))}
    </>
  );
}

function ConfigNotes() {
  return <Notes notes={useNotes("/config")} />;
}
