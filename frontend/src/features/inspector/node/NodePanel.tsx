// A node: what its type asks for, and what every node has. Made out of the schemas that the server gives.
import { type FlowNode, findNode, type Json, type JsonObject, labelOf } from "~/graph/document";
import { updateNode } from "~/graph/edits";
import { isObject } from "~/graph/pointer";
import { plain, type Schema, shapeOf, titleOf } from "~/graph/schema";
import { NodeIcon } from "~/nodes/icons";
import { useCatalog, useNodeType } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import { useNodeProblems } from "~/store/problems";
import { Notes } from "~/ui/Labelled";
import { definitionsOf, nodeSchema } from "../form/definitions";
import { SchemaForm, write } from "../form/SchemaForm";
import { useForm, useNotes } from "../form/scope";
import { Section } from "../Section";
import { ConfigFields } from "./ConfigFields";
import { IdField } from "./IdField";
import { refinementOf } from "./refinements";

/** What belongs together; what no section names stands under "Other". */
const SECTIONS: { title: string; keys: string[] }[] = [
  { title: "Output", keys: ["output_variable", "output_mode", "inputs", "writes"] },
  { title: "Failures and limits", keys: ["retry", "timeout_ms", "budget", "max_visits"] },
  { title: "Paths", keys: ["enabled", "join", "read_only", "fan_out", "synthesis", "backend"] },
  { title: "Description and notes", keys: ["description", "notes"] },
];
/** Shown elsewhere, or the canvas's matter. */
const ELSEWHERE = ["id", "type", "name", "config", "layout", "position", "parent"];

const ON_HANDLERS = ["writes", "inputs"];

export default function NodePanel({ flow, id }: { flow: string; id: string }) {
  const node = useEditor((state) => findNode(state.document, id));
  const documentSchema = useCatalog((state) => state.documentSchema);
  if (!node) return null;
  return (
    <SchemaForm
      flow={flow}
      place={{ kind: "node", id }}
      spot={{ node: id }}
      defs={definitionsOf(documentSchema)}
      refine={refinementOf(node.type)}
    >
      <NodeHead node={node} />
      <NodeFields node={node} schema={nodeSchema(documentSchema, node.type)} />
    </SchemaForm>
  );
}

function NodeHead({ node }: { node: FlowNode }) {
  const type = useNodeType(node.type);
  const { errors, warnings } = useNodeProblems(node.id);
  const { readOnly } = useForm();
  const isOn = node.enabled !== false;
  return (
    <header className="inspector-head">
      <h2>
        <NodeIcon type={node.type} category={type?.category} />
        <span className="inspector-name" title={labelOf(node)}>
          {labelOf(node)}
        </span>
      </h2>
      <p className="quiet small">
        {type?.title ?? `${node.type}, a type that this site does not have`} · {node.id}
        {counted(errors, "error")}
        {counted(warnings, "warning")}
      </p>
      {type ? <p className="quiet small">{type.description}</p> : null}
      {isOn ? null : (
        <p className="field-note field-note-warning">
          This node is disabled: it is passed through, with no output.{" "}
          <button
            type="button"
            className="quiet-button"
            disabled={readOnly}
            onClick={() => useEditor.getState().apply("Enable the node", updateNode(node.id, { enabled: undefined }))}
          >
            Enable it
          </button>
        </p>
      )}
      <RootNotes />
    </header>
  );
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : ` · ${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Problems of the node as a whole, which belong to no field. */
function RootNotes() {
  return <Notes notes={useNotes("")} />;
}

function NodeFields({ node, schema }: { node: FlowNode; schema: Schema }) {
  const { notes, defs } = useForm();
  const properties = (isObject(schema.properties) ? schema.properties : {}) as { [key: string]: Schema };
  const known = new Set([...SECTIONS.flatMap((section) => section.keys), ...ELSEWHERE]);
  const others = [...new Set([...Object.keys(properties), ...Object.keys(node)])].filter((key) => !known.has(key));
  const count = (keys: string[]) =>
    [...notes].filter(([pointer]) => keys.some((key) => pointer === `/${key}` || pointer.startsWith(`/${key}/`)))
      .length;
  return (
    <>
      <Section title="General" open count={count(["name", "config"])}>
        <NodeField node={node} name="name" schema={properties.name} />
        <IdField node={node} />
        <ConfigFields node={node} />
      </Section>
      {SECTIONS.map(({ title, keys }) => {
        const shown = keys.filter((key) => !ON_HANDLERS.includes(key) || node.type === "handler" || key in node);
        const set = shown.filter((key) => key in node);
        const told = set.map((key) => titleOf(key, plain(properties[key] ?? {}, defs)).toLowerCase()).join(", ");
        return (
          <Section key={title} title={title} told={told} count={count(shown)}>
            {shown.map((key) => (
              <NodeField key={key} node={node} name={key} schema={properties[key]} />
            ))}
          </Section>
        );
      })}
      {others.length ? (
        <Section title="Other" count={count(others)}>
          {others.map((key) => (
            <NodeField key={key} node={node} name={key} schema={properties[key]} />
          ))}
        </Section>
      ) : null}
    </>
  );
}

function NodeField({ node, name, schema = {} }: { node: FlowNode; name: string; schema: Schema | undefined }) {
  const { defs, Field } = useForm();
  const label = titleOf(name, plain(schema, defs));
  const values = node as unknown as JsonObject;
  const isKnown = shapeOf(schema, defs).kind !== "any";
  return (
    <Field
      pointer={`/${name}`}
      schema={isKnown ? schema : { ...schema, type: ["object", "array", "string", "number", "boolean", "null"] }}
      label={label}
      mode="plain"
      value={values[name]}
      onChange={(next: Json | undefined) => write({ kind: "node", id: node.id }, `/${name}`, label, next)}
    />
  );
}
