// Flow tests as they are edited: which replies and decisions a flow can ask for, and what a test expects.
import { type FlowDocument, type FlowNode, type Json, type JsonObject, labelOf } from "./document";
import { isObject } from "./pointer";

/** A queue of replies: `fetch`, `llm:draft`, `handler:check`, and what people call it. */
export interface Queue {
  name: string;
  label: string;
}

/** The calls that a flow can make and those that a test has replies for, each once. */
export function queuesOf(document: FlowDocument, replies: JsonObject): Queue[] {
  const given = Object.keys(replies).map((name) => ({ name, label: name }));
  const found = new Map<string, Queue>();
  for (const queue of [...document.nodes.flatMap(queuesOfNode), ...given])
    if (!found.has(queue.name)) found.set(queue.name, queue);
  return [...found.values()];
}

function queuesOfNode(node: FlowNode): Queue[] {
  const config: JsonObject = isObject(node.config) ? (node.config as JsonObject) : {};
  const tool = (name: Json | undefined) => (typeof name === "string" ? [{ name, label: `Tool ${name}` }] : []);
  switch (node.type) {
    case "tool_call":
      return tool(config.tool);
    case "handler":
      return [{ name: `handler:${node.id}`, label: `Handler of ${labelOf(node)}` }];
    case "llm_call":
    case "agent": {
      const model = { name: `llm:${node.id}`, label: `Model in ${labelOf(node)}` };
      return [model, ...(Array.isArray(config.tools) ? config.tools.flatMap(tool) : [])];
    }
    default:
      return [];
  }
}

/** The steps at which somebody may be asked: approval nodes, and calls of tools. */
export function stepsThatAsk(document: FlowDocument): { id: string; label: string }[] {
  const asking = document.nodes.filter((node) => node.type === "approval" || node.type === "tool_call");
  return asking.map((node) => ({ id: node.id, label: labelOf(node) }));
}

/** What a test expects at a place, such as ["calls", "fetch"]; undefined: nothing. */
export function expectedAt(content: JsonObject, key: readonly string[]): Json | undefined {
  let here: Json | undefined = content.expect;
  for (const part of key) here = isObject(here) ? here[part] : undefined;
  return here;
}

/** The content with this expected at a place; undefined: with nothing expected there. */
export function withExpected(content: JsonObject, key: readonly string[], value: Json | undefined): JsonObject {
  const expect = isObject(content.expect) ? content.expect : {};
  return { ...content, expect: put(expect, key, value) };
}

function put(object: JsonObject, [part, ...rest]: readonly string[], value: Json | undefined): JsonObject {
  if (part === undefined) return object;
  const { [part]: before, ...others } = object;
  if (!rest.length) return value === undefined ? others : { ...object, [part]: value };
  const inner = put(isObject(before) ? before : {}, rest, value);
  return Object.keys(inner).length ? { ...object, [part]: inner } : others;
}

/** Two objects parted by key, so that only what differs has to be read; null where they are no two objects. */
export function differingKeys(
  expected: Json | undefined,
  found: Json | undefined,
): { key: string; expected: Json | undefined; found: Json | undefined }[] | null {
  if (!isObject(expected) || !isObject(found)) return null;
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  return keys
    .filter((key) => JSON.stringify(expected[key]) !== JSON.stringify(found[key]))
    .map((key) => ({ key, expected: expected[key], found: found[key] }));
}

/** A test file's content without its `flow`, since tests are run against the draft; or what is wrong with the file. */
export function readTestFile(text: string): { content: JsonObject } | { fault: string } {
  let read: Json;
  try {
    read = JSON.parse(text) as Json;
  } catch (error) {
    return { fault: `This is no JSON: ${(error as Error).message}` };
  }
  if (!isObject(read)) return { fault: "A test file holds one test, a JSON object." };
  const { flow: _, ...content } = read;
  if ("nodes" in content) return { fault: "This is the document of a flow, no test of one." };
  if (typeof content.name !== "string" || !content.name) return { fault: "The test has no name." };
  return { content };
}
