// Problems that one evident edit mends: what that edit is, in words and as an edit. Everything else people decide.
import { type FlowDocument, findNode, type JsonObject } from "./document";
import { addNode, all, connect, type Edit, removeEdges, updateDocument, updateNode } from "./edits";
import { freeId } from "./ids";
import { getAt, isObject, setAt } from "./pointer";

export interface Fix {
  /** On the button and in the undo history: "Declare “total”". */
  label: string;
  edit: Edit;
}

interface ProblemLike {
  code: string;
  path: string;
  message: string;
  node?: string;
  edge?: string;
}

const WEEK_MS = 7 * 24 * 3_600_000;
const USUAL_PASSES = 100;

/** The edit that mends a problem, or null where there is none that is evident. */
export function fixOf(document: FlowDocument, problem: ProblemLike): Fix | null {
  return FIXES[problem.code]?.(document, problem) ?? null;
}

const FIXES: Record<string, (document: FlowDocument, problem: ProblemLike) => Fix | null> = {
  unknown_variable: declareKey,
  undeclared_read: addToInputs,
  edge_dangling: removeEdge,
  edge_crosses_container: removeEdge,
  no_default_edge: addDefaultEdge,
  runs_more_than_once: (_, { node }) => onNode(node, "Start once, when all that can come has come", { join: "active" }),
  fan_out_not_read_only: (_, { node }) => onNode(node, "Mark as read-only", { read_only: true }),
  read_only_writes: (_, { node }) => onNode(node, "Take read-only away", { read_only: undefined }),
  retry_not_idempotent: (_, { node }) => onNode(node, "Switch retry off", { retry: undefined }),
  retry_invalid: removeRetryCode,
  timeout_invalid: (_, { node }) => onNode(node, "Use the site's time limit", { timeout_ms: undefined }),
  waits_without_limit: (_, { node }) => onNode(node, "Wait a week at most", { timeout_ms: WEEK_MS }),
  loop_without_bound: boundLoops,
  artifact_never_produced: (_, { path }) => removeAt("Remove the promise", path),
  policy_key_unknown: renamePolicyKey,
  config_invalid: (document, problem) => nameTheFlow(problem) ?? removeUnknownKey(document, problem),
};

function onNode(node: string | undefined, label: string, change: Parameters<typeof updateNode>[1]): Fix | null {
  return node === undefined ? null : { label, edit: updateNode(node, change) };
}

function removeAt(label: string, path: string): Fix {
  return { label, edit: (document) => setAt(document, path, undefined) };
}

/** Only where nothing sets the key: one that is set too late is a matter of drawing. */
function declareKey(document: FlowDocument, problem: ProblemLike): Fix | null {
  const key = /^Nothing can have set '([A-Za-z_]\w*)' here/.exec(problem.message)?.[1];
  if (!key) return null;
  const state: JsonObject = isObject(document.state) ? document.state : { type: "object" };
  const properties = isObject(state.properties) ? state.properties : {};
  return {
    label: `Declare “${key}”`,
    edit: updateDocument({ state: { ...state, properties: { ...properties, [key]: {} } } }),
  };
}

function addToInputs(document: FlowDocument, problem: ProblemLike): Fix | null {
  const key = /reads '([^']+)' without/.exec(problem.message)?.[1];
  const node = problem.node === undefined ? undefined : findNode(document, problem.node);
  if (!key || !node) return null;
  return { label: `Add “${key}” to its inputs`, edit: updateNode(node.id, { inputs: [...(node.inputs ?? []), key] }) };
}

function removeEdge(_: FlowDocument, { edge }: ProblemLike): Fix | null {
  return edge === undefined ? null : { label: "Remove the edge", edit: removeEdges([edge]) };
}

/** The remaining cases get an end of their own, in the same container, where people can draw on. */
function addDefaultEdge(document: FlowDocument, problem: ProblemLike): Fix | null {
  const node = problem.node === undefined ? undefined : findNode(document, problem.node);
  if (!node) return null;
  const id = freeId(`${node.id}_else`, new Set(document.nodes.map((one) => one.id)));
  const place = node.layout ?? node.position ?? { x: 0, y: 0 };
  const end = {
    id,
    type: "end",
    name: "Otherwise",
    config: {},
    layout: { x: place.x + 280, y: place.y + 120 },
    ...(node.parent ? { parent: node.parent } : {}),
  };
  return { label: "Add a default edge", edit: all(addNode(end), connect({ source: node.id, target: id })) };
}

function removeRetryCode(_: FlowDocument, { path }: ProblemLike): Fix | null {
  return /\/retry\/on\/\d+$/.test(path) ? removeAt("Remove the code", path) : null;
}

function boundLoops(document: FlowDocument): Fix {
  const policy = { ...document.policy, max_iterations: USUAL_PASSES };
  return { label: `Allow ${USUAL_PASSES} passes at most`, edit: updateDocument({ policy }) };
}

function renamePolicyKey(document: FlowDocument, { path, message }: ProblemLike): Fix | null {
  const meant = /'(max_[a-z_]+)'/.exec(message.slice(message.indexOf("mean")))?.[1];
  const value = getAt(document, path);
  if (!meant || value === undefined) return null;
  const around = path.slice(0, path.lastIndexOf("/"));
  return {
    label: `Call it ${meant}`,
    edit: (one) => setAt(setAt(one, path, undefined), `${around}/${meant}`, value),
  };
}

function nameTheFlow({ path, message }: ProblemLike): Fix | null {
  const id = path === "/id" ? /its flow is '([a-z][a-z0-9_-]*)'/.exec(message)?.[1] : undefined;
  return id === undefined ? null : { label: `Write the id ${id}`, edit: updateDocument({ id }) };
}

function removeUnknownKey(document: FlowDocument, { path, message }: ProblemLike): Fix | null {
  if (!UNKNOWN_KEY.test(message) || getAt(document, path) === undefined) return null;
  const key = path.slice(path.lastIndexOf("/") + 1);
  return removeAt(`Remove “${key}”`, path);
}

const UNKNOWN_KEY = /is not a key of this part/;
