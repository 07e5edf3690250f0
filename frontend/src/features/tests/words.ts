// How tests, crashes and replays went, in plain words.
import type { Aspect, Replayed, TestResult, Verdict } from "~/api/flowTests";
import type { Json } from "~/graph/document";
import type { CrashSum } from "~/store/flowTests";

const SHOWN = 300;

export function many(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** A value as short JSON; "nothing" where there is none. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** All tests in one line: "2 of 3 pass". */
export function summary(results: readonly TestResult[], tests: number): string {
  if (!tests) return "none yet";
  if (!results.length) return many(tests, "test");
  const failed = results.filter((one) => !one.passed).length;
  const open = tests - results.length;
  if (failed) return `${failed} of ${many(tests, "test")} failed`;
  if (open) return `${results.length} of ${many(tests, "test")} run, all pass`;
  return tests === 1 ? "1 test passes" : `all ${tests} tests pass`;
}

const PLACES: Record<string, string> = {
  status: "How it ends",
  state: "The state at the end",
  result: "The result",
  error: "The error",
  events: "The way it takes",
  no_events: "What must not happen",
  elapsed_ms: "How long it takes",
  problems: "What the checks find",
  warnings: "What the checks warn of",
  refused: "What somebody did",
};

/** Where a test differed: "calls.pay" is "How often pay is called". */
export function placeWords(place: string): string {
  const [first = "", ...rest] = place.split(".");
  const name = rest.join(".").replace(/^(llm|handler):/, "");
  if (first === "calls") return `How often ${name} is called`;
  if (first === "args") return `What ${name} is called with`;
  if (first === "prompts") return `The prompts of ${name}`;
  if (first === "artifacts") return `The artifact ${name}`;
  if (first === "usage") return `Use: ${name.replace(/_/g, " ")}`;
  if (first === "error" && name) return `The error's ${name}`;
  return PLACES[first] ?? place;
}

/** What killing a test at its boundaries showed. */
export function crashWords({ boundaries, done, survived, spared, broken, fault }: CrashSum): string {
  if (fault) return fault;
  if (!boundaries) return "Beginning…";
  const spare = spared ? ` At ${spared} more nothing was killed: a call that must not be repeated was under way.` : "";
  if (broken.length) {
    const changed = broken.length === 1 ? "one changed" : `${broken.length} changed`;
    return `Killed at ${survived + broken.length} boundaries; ${changed} what came of it.${spare}`;
  }
  if (done < boundaries) return `${done} of ${boundaries} boundaries tried; the run survived each.`;
  return `Killed at ${survived} boundaries; the run survived each, and the same came of it.${spare}`;
}

/** What a draft would have made of a past run. */
export function replayWords(one: Replayed): string {
  switch (one.verdict) {
    case "same":
      return "Goes the same way to the same end.";
    case "refused":
      return `Would not have started: ${one.refused}`;
    case "unknown":
      return `${unmatchedWords(one)} No reply was recorded for that, so nothing is known of what comes after.`;
    case "route":
      return `Takes another way${partingWords(one)}.${endingWords(one)}`;
    case "ending":
      return `Ends otherwise: it ${one.ends_otherwise.join(", ")}.`;
    case "cost":
      return `Goes the same way and costs more: ${money(one.cost_after ?? 0)}, not ${money(one.cost_before)}.`;
    default:
      return `Cannot be compared. ${one.troubles.join(" ")}`;
  }
}

function unmatchedWords({ unmatched }: Replayed): string {
  const first = unmatched[0];
  const name = first?.queue.replace(/^(llm|handler):/, "") ?? "";
  const what = first?.queue.startsWith("llm:") ? "asks its model something new" : `calls ${name} with something new`;
  const others = unmatched.length > 1 ? `, and ${many(unmatched.length - 1, "more call")} the same` : "";
  return `The step ${first?.path ?? ""} ${what}${others}.`;
}

function partingWords({ parting }: Replayed): string {
  if (!parting) return "";
  const visit = parting.visit > 1 ? ` (visit ${parting.visit})` : "";
  return `: ${parting.path}${visit} ${parting.before} then, and ${parting.after} now`;
}

function endingWords({ ends_otherwise: ends, cost_before: before, cost_after: after }: Replayed): string {
  const cost = after !== null && after > before ? ` It costs ${money(after)}, not ${money(before)}.` : "";
  return `${ends.length ? ` It ${ends.join(", ")}.` : ""}${cost}`;
}

export function money(micros: number): string {
  return `$${(micros / 1_000_000).toFixed(micros && micros < 10_000 ? 6 : 2)}`;
}

export const VERDICT_WORDS: Record<Verdict, string> = {
  same: "Same",
  route: "Other way",
  ending: "Other end",
  cost: "Costs more",
  unknown: "New call",
  refused: "Refused",
  incomparable: "Not comparable",
};

const ORDER: readonly Verdict[] = ["refused", "route", "ending", "cost", "unknown", "incomparable", "same"];

/** All replays in one line, and the ones to look at first. */
export function replaySummary(items: readonly Replayed[]): string {
  const counted = ORDER.map((verdict) => [verdict, items.filter((one) => one.verdict === verdict).length] as const);
  const parts = counted
    .filter(([, count]) => count)
    .map(([verdict, count]) => `${count} ${TOLD[verdict](count === 1)}`);
  return parts.reverse().join(", ");
}

const TOLD: Record<Verdict, (one: boolean) => string> = {
  same: (one) => `${one ? "goes" : "go"} the same way to the same end`,
  route: (one) => `${one ? "takes" : "take"} another way`,
  ending: (one) => `${one ? "ends" : "end"} otherwise`,
  cost: (one) => `${one ? "costs" : "cost"} more`,
  unknown: (one) => `${one ? "makes a call that was" : "make calls that were"} not made then`,
  refused: () => "would not have started",
  incomparable: () => "cannot be compared",
};

const ASPECTS: Record<Aspect, string> = {
  missing: "",
  input: "other input",
  status: "another end",
  output: "other output",
  writes: "writes something else",
  route: "goes on elsewhere",
};

/** In what a step of a replay differs from that of the run. */
export function stepWords({ before, after, differs }: Replayed["steps"][number]): string {
  if (!before) return `new: ${after}`;
  if (!after) return "not reached any more";
  const what = differs.map((one) => ASPECTS[one]).filter(Boolean);
  return before === after ? what.join(", ") : [`${before} then, ${after} now`, ...what.slice(1)].join(", ");
}

export function byVerdict(items: readonly Replayed[]): Replayed[] {
  return [...items].sort((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict));
}
