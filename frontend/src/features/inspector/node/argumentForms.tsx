// Forms of what a node hands to something else: arguments of tools, options of handlers, inputs of sub-flows. Their
// schemas are the other's own; each value may be written out, be a text with placeholders, or be worked out.
import { useEffect, useMemo, useState } from "react";
import { readFlowInputs } from "~/api/flowsOfSite";
import { findNode, type Input, type JsonObject } from "~/graph/document";
import { inputsSchema } from "~/graph/inputs";
import { isObject } from "~/graph/pointer";
import { type Schema, shapeOf } from "~/graph/schema";
import { useCatalog, useTool } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import { type ControlProps, useForm } from "../form/scope";

/** The config of the node that this form is about. */
function useConfig(): JsonObject {
  const { place } = useForm();
  const node = useEditor((state) => (place.kind === "node" ? findNode(state.document, place.id) : undefined));
  return isObject(node?.config) ? node.config : NOTHING;
}

const NOTHING: JsonObject = {};

function textAt(config: JsonObject, key: string): string | undefined {
  const value = config[key];
  return typeof value === "string" ? value : undefined;
}

export function ToolArguments(props: ControlProps) {
  const config = useConfig();
  const tool = useTool(textAt(config, "tool"));
  return <Given {...props} schema={tool?.schema} />;
}

export function RoleArguments(props: ControlProps) {
  const role = textAt(useConfig(), "role");
  const first = useCatalog((state) => state.roles.find((one) => one.name === role)?.tools[0]);
  const tool = useTool(first);
  return <Given {...props} schema={tool?.schema} />;
}

export function HandlerOptions(props: ControlProps) {
  const name = textAt(useConfig(), "handler");
  const handler = useCatalog((state) => state.handlers.find((one) => one.name === name));
  return <Given {...props} schema={handler?.options_schema} />;
}

export function SubflowInputs(props: ControlProps) {
  const config = useConfig();
  const own = useEditor((state) => state.document.inputs);
  const flow = textAt(config, "flow");
  const version = config.version;
  const read = useFlowInputs(version === "self" ? undefined : flow, typeof version === "number" ? version : undefined);
  const inputs = version === "self" ? (own ?? NO_INPUTS) : read;
  const schema = useMemo(() => (inputs ? inputsSchema(inputs) : null), [inputs]);
  return <Given {...props} schema={schema} />;
}

const NO_INPUTS: Input[] = [];

const OPEN: Schema = { anyOf: [{ type: "object", additionalProperties: true }, { type: "string" }] };

type GivenProps = Omit<ControlProps, "schema"> & { schema: Schema | JsonObject | null | undefined };

/** Fields out of the other's schema, where it is known. A value that is no object, such as one placeholder for all, is
 * shown as what it is. */
function Given({ schema, ...rest }: GivenProps) {
  const { Plain, defs } = useForm();
  const shape = schema ? shapeOf(schema, defs) : null;
  const isOther = rest.value !== undefined && !isObject(rest.value);
  if (!schema || shape?.kind !== "object" || isOther) {
    const value = rest.value ?? {};
    return <Plain {...rest} value={value} schema={OPEN} shape={shapeOf(OPEN, defs)} mode="template" />;
  }
  if (!shape.properties.length && shape.others === null) return <p className="field-help">There is nothing to give.</p>;
  return <Plain {...rest} schema={schema as Schema} shape={shape} mode="template" />;
}

function useFlowInputs(flow: string | undefined, version: number | undefined): readonly Input[] | null {
  const [found, setFound] = useState<{ key: string; inputs: readonly Input[] } | null>(null);
  const key = `${flow}@${version}`;
  useEffect(() => {
    if (flow === undefined || version === undefined) return;
    let gone = false;
    readFlowInputs(flow, version)
      .then((inputs) => !gone && setFound({ key: `${flow}@${version}`, inputs }))
      .catch(() => !gone && setFound(null));
    return () => {
      gone = true;
    };
  }, [flow, version]);
  return found?.key === key ? found.inputs : null;
}
