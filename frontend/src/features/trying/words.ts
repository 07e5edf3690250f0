// Tries and pinned outputs in words.
import type { PinSummary, TryCall } from "~/api/trying";

/** Where a pinned output came from: "From run 1a2b3c4d". */
export function sourceWords({ source, run }: Pick<PinSummary, "source" | "run">): string {
  if (source === "typed") return "Typed";
  if (!run) return source === "try" ? "From a try" : "From a run";
  return `From ${source === "try" ? "the try" : "run"} ${run.slice(0, 8)}`;
}

const DOES: Record<string, string> = {
  llm_call: "asks the model",
  agent: "lets its agent work, tools and all",
  handler: "runs its handler",
  subflow: "starts its sub-flow as a run of its own",
  approval: "asks a person, in the inbox",
  wait: "waits as long as it says",
  tool_group: "calls every tool of its role",
  hidden: "does what its flow does, which is not for you to see",
};

type InWords = Pick<TryCall, "type" | "tool" | "effect" | "asks" | "sure">;

/** What a step that is tried for real does, or may do: "calls pay_invoice, which must not happen twice". */
export function callWords({ type, tool, effect, asks, sure }: InWords): string {
  const does = tool ? `calls ${tool}` : (DOES[type] ?? "does its work");
  const once = effect === "at_most_once" ? ", which must not happen twice" : "";
  if (!asks || type === "approval") return does + once;
  return `${does}${once}. A person ${sure ? "has" : "may have"} to approve that first, in the inbox`;
}

/** Which step makes a call: "Pay it", or "Pay it in sub-flow payments". */
export function callerWords({ type, label, flow }: Pick<TryCall, "type" | "label" | "flow">): string {
  if (type === "hidden") return `Sub-flow ${flow}`;
  return flow ? `${label} in sub-flow ${flow}` : label;
}

const STOOD_IN: Record<string, string> = {
  pin: "its pinned output",
  run: "what it gave in the run",
  test: "a reply of a flow test",
  time: "no waiting",
};

/** What stood in for a step: "its pinned output". */
export const stoodInWords = (source: string) => STOOD_IN[source] ?? "";

/** The value of a pinned output in short; why it is not told, where it is not. */
export function pinnedWords({ value }: Pick<PinSummary, "value">, readOnly: boolean): string {
  if (!value.covered) return value.shown;
  const why = readOnly ? "it may be sensitive, or is only for those who may change the flow" : "it may be sensitive";
  return `Covered: ${why}.`;
}
