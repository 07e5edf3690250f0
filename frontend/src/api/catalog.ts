// What flows can be made of, as the server tells it.
import type { JsonObject } from "~/graph/document";
import { request } from "./client";

export type JsonSchema = { [key: string]: unknown };

export interface NodeType {
  name: string;
  category: "work" | "people" | "control" | "container";
  title: string;
  description: string;
  default_backend: string;
  is_container: boolean;
  ends_path: boolean;
  template_fields: string[];
  text_fields: string[];
  expression_fields: string[];
  config_schema: JsonSchema;
}

export interface Tool {
  name: string;
  description: string;
  schema: JsonSchema;
  read_only: boolean;
  effect: "pure" | "idempotent" | "at_most_once";
  needs_approval: "always" | "never" | "by_arguments";
  group: string | null;
  editable: boolean;
  backend: string;
  cost_micros: number;
}

export interface Handler {
  name: string;
  description: string;
  writes: string[] | null;
  options_schema: JsonObject | null;
}

export interface Role {
  name: string;
  tools: string[];
}

export interface Skill {
  name: string;
  version: string;
  /** `name@1.0.0`. */
  ref: string;
  description: string;
  tools: string[];
  works_offline: boolean;
}

export interface Catalog {
  nodeTypes: NodeType[];
  tools: Tool[];
  handlers: Handler[];
  models: string[];
  roles: Role[];
  skills: Skill[];
  /** JSON Schema of whole documents, with the node types of this site. */
  documentSchema: JsonSchema;
}

interface Items<Item> {
  items: Item[];
}

/** Everything at once: the editor needs all of it for its first picture. */
export async function readCatalog(): Promise<Catalog> {
  const [nodeTypes, tools, handlers, models, roles, skills, documentSchema] = await Promise.all([
    request<Items<NodeType>>("catalog/node-types/"),
    request<Items<Tool>>("catalog/tools/"),
    request<Items<Handler>>("catalog/handlers/"),
    request<Items<string>>("catalog/models/"),
    request<Items<Role>>("catalog/roles/"),
    request<Items<Skill>>("catalog/skills/"),
    request<JsonSchema>("catalog/document-schema/"),
  ]);
  return {
    nodeTypes: nodeTypes.items,
    tools: tools.items,
    handlers: handlers.items,
    models: models.items,
    roles: roles.items,
    skills: skills.items,
    documentSchema,
  };
}
