// Where edges leave a node: one port for what usually comes next, a labelled one for each branch and each other outcome.
// The server's checks have the last word on which outcomes a node can have.
import { type FlowEdge, type FlowNode, type Outcome, outcomeOf } from "./document";

export const OUTCOMES: readonly Outcome[] = ["success", "error", "rejected", "timeout", "budget_exhausted", "limit"];

export const OUTCOME_WORDS: Record<Outcome, string> = {
  success: "Success",
  error: "Error",
  rejected: "Rejected",
  timeout: "Timed out",
  budget_exhausted: "Budget used up",
  limit: "Loop limit",
};

const ENDINGS = new Set(["return", "end", "throw"]);

/** The outcomes that an edge can leave a node by: none for those that end a path. */
export function outcomesOf(node: Pick<FlowNode, "type">): readonly Outcome[] {
  return endsPath(node) ? [] : OUTCOMES;
}

export function endsPath(node: Pick<FlowNode, "type">): boolean {
  return ENDINGS.has(node.type);
}

export interface Port {
  /** `success`, another outcome, `branch:<edge id>`, or `new` for the free port of a branching node. */
  id: string;
  kind: "main" | "branch" | "else" | "new" | "outcome";
  outcome: Outcome;
  /** Shown beside it; the main port has none. */
  label: string;
  /** The condition, where the label is not it. */
  condition?: string;
  edges: readonly string[];
}

/** Conditions are looked at in order, and the first that holds is taken: each edge has a port of its own. */
export function isBranching(node: Pick<FlowNode, "type" | "fan_out">, success: readonly FlowEdge[]): boolean {
  if (node.type === "one_of") return true;
  return success.some((edge) => edge.when !== undefined) || (!node.fan_out && success.length > 1);
}

/** A node's ports from top to bottom. `edges` are those that leave it, in the document's order. */
export function portsOf(node: FlowNode, edges: readonly FlowEdge[]): Port[] {
  const success = edges.filter((edge) => outcomeOf(edge) === "success");
  const ports: Port[] = [];
  if (endsPath(node) && !edges.length) return ports;
  if (isBranching(node, success)) {
    ports.push(...branchPorts(node, success));
    if (node.type === "one_of") ports.push({ id: "new", kind: "new", outcome: "success", label: "branch", edges: [] });
  } else if (!endsPath(node) || success.length) {
    ports.push({ id: "success", kind: "main", outcome: "success", label: "", edges: success.map((edge) => edge.id) });
  }
  for (const outcome of OUTCOMES.slice(1)) {
    const leaving = edges.filter((edge) => outcomeOf(edge) === outcome);
    if (leaving.length)
      ports.push({
        id: outcome,
        kind: "outcome",
        outcome,
        label: outcomeLabel(outcome, leaving),
        edges: leaving.map((edge) => edge.id),
      });
  }
  return ports;
}

/** With the words of its edge, where there is only one and it says more. */
function outcomeLabel(outcome: Outcome, edges: readonly FlowEdge[]): string {
  const word = OUTCOME_WORDS[outcome];
  const said = edges.length === 1 ? (edges[0]?.label ?? edges[0]?.when ?? "") : "";
  return said && said.toLowerCase() !== word.toLowerCase() ? `${word}: ${said}` : word;
}

/** Those with a condition first, whatever the order: an edge without one is what remains. */
function branchPorts(node: FlowNode, success: readonly FlowEdge[]): Port[] {
  const remaining = node.fan_out ? "always" : "else";
  const port = (edge: FlowEdge): Port => ({
    id: `branch:${edge.id}`,
    kind: edge.when === undefined ? "else" : "branch",
    outcome: "success",
    label: edge.label || (edge.when === undefined ? remaining : edge.when.trim() || "needs a condition"),
    ...(edge.when ? { condition: edge.when } : {}),
    edges: [edge.id],
  });
  return [
    ...success.filter((edge) => edge.when !== undefined).map(port),
    ...success.filter((edge) => edge.when === undefined).map(port),
  ];
}

/** What one port is called when it is read out. */
export function portName(port: Port): string {
  if (port.kind === "main") return "next";
  if (port.kind === "new") return "new branch";
  return port.label;
}
