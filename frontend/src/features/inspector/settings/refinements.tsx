// Where a setting is more helpful than what its schema alone gives.
import { type ComponentType, useMemo } from "react";
import type { Json, JsonObject } from "~/graph/document";
import { isObject } from "~/graph/pointer";
import { inWords } from "~/graph/schema";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import { Select, Suggested } from "~/ui/Choice";
import { ExpressionField } from "../fields/ExpressionField";
import type { Refine } from "../form/SchemaForm";
import { type ControlProps, FormContext, useForm } from "../form/scope";
import { SchemaTable } from "../node/SchemaTable";

const FIXED: { [pointer: string]: ComponentType<ControlProps> } = { "/state": SchemaTable, "/start": StartChooser };

const BY_PATTERN: [RegExp, ComponentType<ControlProps>][] = [
  [/^\/permissions\/rules\/\d+\/when$/, RuleCondition],
  [/^\/permissions\/rules\/\d+\/tool$/, ToolPattern],
  [/^\/presets\/\d+\/policy$/, PresetPolicy],
];

export const settingsRefinement: Refine = (pointer) =>
  FIXED[pointer] ?? BY_PATTERN.find(([pattern]) => pattern.test(pointer))?.[1];

function StartChooser({ value, onChange, label, pointer }: ControlProps) {
  const nodes = useEditor((state) => state.document.nodes);
  const { readOnly } = useForm();
  const options = nodes
    .filter((node) => node.parent === undefined)
    .map((node) => ({ value: node.id, label: node.name ? `${node.name} (${node.id})` : node.id }));
  return (
    <Select
      label={label}
      pointer={pointer}
      options={options}
      none="The one without incoming edges"
      value={typeof value === "string" ? value : ""}
      readOnly={readOnly}
      onChange={(id) => onChange(id === "" ? undefined : id)}
    />
  );
}

/** A rule's condition sees the arguments of the call, and nothing else. */
function RuleCondition({ value, onChange, label, pointer }: ControlProps) {
  const form = useForm();
  const rule = Number(pointer.split("/")[3]);
  const scope = useMemo(() => ({ ...form, spot: { rule } }), [form, rule]);
  return (
    <FormContext.Provider value={scope}>
      <ExpressionField
        label={label}
        pointer={pointer}
        text={typeof value === "string" ? value : ""}
        kind="condition"
        placeholder="args.amount > 1000"
        onChange={(text) => onChange(text === "" ? undefined : text)}
      />
    </FormContext.Provider>
  );
}

function ToolPattern({ value, onChange, label, pointer }: ControlProps) {
  const tools = useCatalog((state) => state.tools);
  const { readOnly } = useForm();
  const text = typeof value === "string" ? value : "";
  const pattern = new RegExp(`^${text.split("*").map(escaped).join(".*")}$`);
  const fitting = text === "" ? [] : tools.filter((tool) => pattern.test(tool.name)).map((tool) => tool.name);
  return (
    <>
      <Suggested
        label={label}
        pointer={pointer}
        options={tools.map((tool) => ({ value: tool.name, description: tool.description }))}
        value={text}
        readOnly={readOnly}
        onChange={onChange}
      />
      <p className="field-help">{fitting.length ? `Fits ${fitting.join(", ")}.` : "Fits no tool of this site."}</p>
    </>
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");
}

/** A preset's limits, and where they differ from the flow's own. */
function PresetPolicy(props: ControlProps) {
  const { Plain } = useForm();
  const usual = useEditor((state) => state.document.policy) as JsonObject | undefined;
  const differences = differencesOf(usual ?? {}, isObject(props.value) ? props.value : {});
  return (
    <>
      <Plain {...props} />
      <p className="field-help">
        {differences.length ? `Beside the default: ${differences.join("; ")}.` : "The same limits as the default."}
      </p>
    </>
  );
}

function differencesOf(usual: JsonObject, own: JsonObject): string[] {
  return Object.keys(own)
    .filter((key) => JSON.stringify(own[key]) !== JSON.stringify(usual[key]))
    .map((key) => `${inWords(key)} ${shown(usual[key])} → ${shown(own[key])}`);
}

function shown(value: Json | undefined): string {
  return value === undefined ? "none" : JSON.stringify(value);
}
