// Choosing what a document only names: tools, roles, handlers, models, skills, state keys, nodes, artifacts.
import { type FlowDocument, findNode, type Json } from "~/graph/document";
import { updateDocument } from "~/graph/edits";
import { isObject } from "~/graph/pointer";
import { isTemplate } from "~/graph/values";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import { type Option, Select, Suggested } from "~/ui/Choice";
import { IconButton } from "~/ui/Rows";
import { type ControlProps, useForm } from "../form/scope";

function Listed({ options, none, ...props }: ControlProps & { options: readonly Option[]; none?: string | undefined }) {
  const { value, onChange, label, pointer, required } = props;
  const { readOnly, Plain } = useForm();
  if (value !== undefined && typeof value !== "string") return <Plain {...props} />;
  return (
    <Select
      label={label}
      pointer={pointer}
      options={options}
      value={value ?? ""}
      none={none ?? (required ? undefined : "None")}
      readOnly={readOnly}
      onChange={(text) => onChange(text === "" && !required ? undefined : text)}
    />
  );
}

export function ToolChooser(props: ControlProps) {
  const tools = useCatalog((state) => state.tools);
  return <Listed {...props} options={tools.map(toolOption)} />;
}

function toolOption(tool: { name: string; description: string; needs_approval: string; read_only: boolean }): Option {
  const asks = tool.needs_approval === "always" ? " Asks a person each time." : "";
  return { value: tool.name, description: `${tool.description}${asks}${tool.read_only ? " Only reads." : ""}` };
}

export function RoleChooser(props: ControlProps) {
  const roles = useCatalog((state) => state.roles);
  const options = roles.map((role) => ({
    value: role.name,
    description: `Calls ${role.tools.join(", ") || "no tool yet"}.`,
  }));
  return <Listed {...props} options={options} />;
}

export function HandlerChooser(props: ControlProps) {
  const handlers = useCatalog((state) => state.handlers);
  return <Listed {...props} options={handlers.map((one) => ({ value: one.name, description: one.description }))} />;
}

/** A skill by name is the newest at publication; with a version it is that one. */
export function SkillChooser(props: ControlProps) {
  const skills = useCatalog((state) => state.skills);
  const names = [...new Set(skills.map((skill) => skill.name))];
  const options = names.flatMap((name): Option[] => {
    const versions = skills.filter((skill) => skill.name === name);
    const description = versions[0]?.description ?? "";
    return [
      { value: name, label: `${name} (newest when published)`, description },
      ...versions.map((skill) => ({ value: skill.ref, description: skill.description })),
    ];
  });
  return <Listed {...props} options={options} none="None: instructions of its own" />;
}

/** A model may be named by a placeholder, too. */
export function ModelChooser(props: ControlProps) {
  const models = useCatalog((state) => state.models);
  const { Plain } = useForm();
  const { value } = props;
  if (value !== undefined && (typeof value !== "string" || isTemplate(value))) return <Plain {...props} />;
  return <Listed {...props} options={models.map((name) => ({ value: name }))} none="The site's default" />;
}

export function ArtifactChooser(props: ControlProps) {
  const artifacts = useEditor((state) => state.document.artifacts) ?? NO_ARTIFACTS;
  const { value, onChange, label, pointer } = props;
  const { readOnly, Plain } = useForm();
  if (value !== undefined && typeof value !== "string") return <Plain {...props} />;
  const options = artifacts.map((one) => ({ value: one.id, label: one.name ? `${one.name} (${one.id})` : one.id }));
  return (
    <Suggested
      label={label}
      pointer={pointer}
      options={options}
      value={value ?? ""}
      readOnly={readOnly}
      onChange={onChange}
    />
  );
}

const NO_ARTIFACTS: { id: string; name?: string }[] = [];

export function NodeChooser(props: ControlProps) {
  const document = useEditor((state) => state.document);
  const { place } = useForm();
  const here = place.kind === "node" ? findNode(document, place.id) : undefined;
  const beside = document.nodes.filter((node) => node.parent === here?.parent && node.id !== here?.id);
  return <Listed {...props} options={beside.map((node) => ({ value: node.id, label: nodeWords(node) }))} />;
}

function nodeWords(node: { id: string; name?: string }): string {
  return node.name ? `${node.name} (${node.id})` : node.id;
}

/** A state key: those that the schema declares are suggested; another can be declared at once. */
export function StateKeyChooser(props: ControlProps) {
  const { value, onChange, label, pointer, required } = props;
  const { readOnly, Plain } = useForm();
  const document = useEditor((state) => state.document);
  const properties = isObject(document.state) && isObject(document.state.properties) ? document.state.properties : {};
  if (value !== undefined && typeof value !== "string") return <Plain {...props} />;
  const inputs = (document.inputs ?? []).map((one) => one.name);
  const keys = [...new Set([...Object.keys(properties), ...inputs])];
  const isUnknown = value !== undefined && value !== "" && !keys.includes(value);
  return (
    <>
      <Suggested
        label={label}
        pointer={pointer}
        options={keys.map((key) => ({ value: key }))}
        value={value ?? ""}
        none={required ? undefined : "Kept for steps.<id>.output only"}
        readOnly={readOnly}
        onChange={(text) => onChange(text === "" && !required ? undefined : text)}
      />
      {isUnknown && !readOnly ? (
        <p className="field-help">
          The state schema does not name it.{" "}
          <button
            type="button"
            className="quiet-button"
            onClick={() => useEditor.getState().apply(`Declare ${value}`, declared(document, value))}
          >
            Declare it
          </button>
        </p>
      ) : null}
    </>
  );
}

function declared(document: FlowDocument, key: string) {
  const state = isObject(document.state) ? document.state : { type: "object" };
  const properties = isObject(state.properties) ? state.properties : {};
  return updateDocument({ state: { ...state, properties: { ...properties, [key]: {} } } });
}

/** Names of tools, each with what it does; added from the catalog. */
export function ToolNames(props: ControlProps) {
  const tools = useCatalog((state) => state.tools);
  const { value, onChange, label, pointer } = props;
  const { readOnly, Plain } = useForm();
  if (value !== undefined && !(Array.isArray(value) && value.every((one) => typeof one === "string"))) {
    return <Plain {...props} />;
  }
  const chosen = (value ?? []) as string[];
  return (
    <div className="tags">
      {chosen.map((name) => (
        <span key={name} className="tag" title={tools.find((tool) => tool.name === name)?.description}>
          {name}
          {readOnly ? null : (
            <IconButton label={`Remove ${name}`} onClick={() => onChange(without(chosen, name))}>
              ×
            </IconButton>
          )}
        </span>
      ))}
      <Select
        label={`Add to ${label.toLowerCase()}`}
        pointer={pointer}
        options={tools.filter((tool) => !chosen.includes(tool.name)).map((tool) => ({ value: tool.name }))}
        value=""
        none={value === undefined ? "Left out: those of its skill. Add…" : "Add…"}
        readOnly={readOnly}
        onChange={(name) => onChange([...chosen, name])}
      />
    </div>
  );
}

function without(names: readonly string[], name: string): Json | undefined {
  const rest = names.filter((one) => one !== name);
  return rest.length ? rest : undefined;
}
