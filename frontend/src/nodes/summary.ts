// The second line of a node's card: what it does, in a few words out of its config.
import type { FlowNode } from "~/graph/document";

const TELLING: Record<string, string> = {
  tool_call: "tool",
  tool_group: "role",
  handler: "handler",
  agent: "skill",
  llm_call: "model",
  evaluator: "expression",
  set_variable: "variable",
  artifact: "artifact",
  subflow: "flow",
  for_each: "items",
  throw: "code",
  wait: "signal",
  approval: "title",
};

/** The argument that says most about a node, or the empty text. */
export function summaryOf(node: FlowNode): string {
  const value = node.config?.[TELLING[node.type] ?? ""];
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
