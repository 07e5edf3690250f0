// The flow's settings: what stands at the top of its document, out of the document's schema, and the whole as JSON.
import type { FlowDocument, Json, JsonObject } from "~/graph/document";
import { isObject } from "~/graph/pointer";
import { plain, type Schema, titleOf } from "~/graph/schema";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import { definitionsOf } from "../form/definitions";
import { SchemaForm, write } from "../form/SchemaForm";
import { useForm } from "../form/scope";
import { Section } from "../Section";
import ReviewSetting from "./ReviewSetting";
import { settingsRefinement } from "./refinements";
import WholeDocument from "./WholeDocument";

const SECTIONS: { title: string; keys: (keyof FlowDocument)[]; open?: boolean }[] = [
  { title: "General", keys: ["name", "description", "start"], open: true },
  { title: "Inputs", keys: ["inputs"] },
  { title: "State", keys: ["state"] },
  { title: "Limits", keys: ["policy", "presets"] },
  { title: "Permissions", keys: ["permissions"] },
  { title: "Artifacts", keys: ["artifacts"] },
];
const ELSEWHERE = ["format", "id", "nodes", "edges"];

const SETTINGS = { kind: "settings" } as const;
const NO_SPOT = {};

export default function SettingsPanel({ flow }: { flow: string }) {
  const documentSchema = useCatalog((state) => state.documentSchema);
  const document = useEditor((state) => state.document);
  return (
    <SchemaForm
      flow={flow}
      place={SETTINGS}
      spot={NO_SPOT}
      defs={definitionsOf(documentSchema)}
      refine={settingsRefinement}
    >
      <header className="inspector-head">
        <h2>Flow settings</h2>
        <p className="quiet small">
          {document.id} · {document.nodes.length} nodes, {document.edges.length} edges
        </p>
      </header>
      <SettingsFields schema={documentSchema} document={document} />
      <Section title="Review before publish">
        <ReviewSetting flow={flow} />
      </Section>
      <Section title="Whole document">
        <WholeDocument />
      </Section>
    </SchemaForm>
  );
}

function SettingsFields({ schema, document }: { schema: Schema; document: FlowDocument }) {
  const { notes } = useForm();
  const properties = (isObject(schema.properties) ? schema.properties : {}) as { [key: string]: Schema };
  const known = new Set<string>([...SECTIONS.flatMap((section) => section.keys), ...ELSEWHERE]);
  const others = [...new Set([...Object.keys(properties), ...Object.keys(document)])].filter((key) => !known.has(key));
  const count = (keys: readonly string[]) =>
    [...notes].filter(([pointer]) => keys.some((key) => pointer === `/${key}` || pointer.startsWith(`/${key}/`)))
      .length;
  return (
    <>
      {SECTIONS.map(({ title, keys, open = false }) => (
        <Section key={title} title={title} open={open} count={count(keys)}>
          {keys.map((key) => (
            <SettingsField key={key} name={key} schema={properties[key] ?? {}} document={document} />
          ))}
        </Section>
      ))}
      {others.length ? (
        <Section title="Other keys" count={count(others)}>
          <p className="field-help">Keys of your own begin with x-. They are kept, and mean nothing to a run.</p>
          {others.map((key) => (
            <SettingsField key={key} name={key} schema={properties[key] ?? { not: {} }} document={document} />
          ))}
        </Section>
      ) : null}
    </>
  );
}

const LISTS = ["inputs", "presets", "artifacts", "policy", "permissions"];

/** Sections of one part: their title is its label. */
const ALONE = ["inputs", "state", "permissions", "artifacts"];

function SettingsField({ name, schema, document }: { name: string; schema: Schema; document: FlowDocument }) {
  const { defs, Field } = useForm();
  const label = titleOf(name, plain(schema, defs));
  const isAlways = LISTS.includes(name);
  const value = (document as unknown as JsonObject)[name];
  return (
    <Field
      pointer={`/${name}`}
      schema={withoutDefault(schema)}
      label={label}
      shown={isAlways}
      bare={ALONE.includes(name)}
      mode="plain"
      value={value}
      onChange={(next: Json | undefined) =>
        write(SETTINGS, `/${name}`, label, isAlways && isEmpty(next) ? undefined : next)
      }
    />
  );
}

/** The server's defaults of whole parts are nothing that anybody would write. */
function withoutDefault(schema: Schema): Schema {
  const { default: _, ...rest } = schema;
  return rest;
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}
