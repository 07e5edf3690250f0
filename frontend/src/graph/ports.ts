// Which outcomes a node of a type can have, so which edges can leave it. The server's checks have the last word.
import type { FlowNode, Outcome } from "./document";

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
  return ENDINGS.has(node.type) ? [] : OUTCOMES;
}
