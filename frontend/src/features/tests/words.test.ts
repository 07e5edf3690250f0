// Results in plain words.
import { expect, it } from "vitest";
import type { Replayed, TestResult } from "~/api/flowTests";
import { byVerdict, crashWords, placeWords, replaySummary, replayWords, stepWords, summary } from "./words";

const result = (passed: boolean) => ({ passed }) as TestResult;
const sum = { boundaries: 60, done: 60, survived: 56, spared: 4, broken: [], fault: "" };
const replayed = (part: Partial<Replayed>) =>
  ({ unmatched: [], ends_otherwise: [], steps: [], troubles: [], cost_before: 0, cost_after: 0, ...part }) as Replayed;

it("sums up tests", () => {
  expect(summary([], 0)).toBe("none yet");
  expect(summary([], 2)).toBe("2 tests");
  expect(summary([result(true)], 1)).toBe("1 test passes");
  expect(summary([result(true)], 3)).toBe("1 of 3 tests run, all pass");
  expect(summary([result(true), result(false)], 2)).toBe("1 of 2 tests failed");
});

it("says what a crash changes", () => {
  expect(crashWords(sum)).toBe(
    "Killed at 56 boundaries; the run survived each, and the same came of it. At 4 more nothing was killed: a call that must not be repeated was under way.",
  );
  expect(crashWords({ ...sum, done: 12 })).toBe("12 of 60 boundaries tried; the run survived each.");
  expect(crashWords({ ...sum, spared: 0, broken: [{ moment: "m", differences: [] }] })).toBe(
    "Killed at 57 boundaries; one changed what came of it.",
  );
});

it("names places of a test", () => {
  expect(placeWords("calls.handler:check")).toBe("How often check is called");
  expect(placeWords("error.code")).toBe("The error's code");
  expect(placeWords("events")).toBe("The way it takes");
});

it("says what a draft would have made of runs, the worst first", () => {
  const route = replayed({
    verdict: "route",
    parting: { node: "a", path: "a", visit: 2, before: "succeeded", after: "was not reached" },
    ends_otherwise: ["gives another result"],
    cost_before: 10_000,
    cost_after: 20_000,
  });
  expect(replayWords(route)).toBe(
    "Takes another way: a (visit 2) succeeded then, and was not reached now. It gives another result. It costs $0.02, not $0.01.",
  );
  const unknown = replayed({ verdict: "unknown", unmatched: [{ path: "pay", visit: 1, queue: "pay_invoice" }] });
  expect(replayWords(unknown)).toContain("The step pay calls pay_invoice with something new.");
  const all = [replayed({ verdict: "same" }), replayed({ verdict: "same" }), route];
  expect(replaySummary(all)).toBe("2 go the same way to the same end, 1 takes another way");
  expect(byVerdict(all)[0]).toBe(route);
  const step = { node: "a", path: "a", visit: 1, before: "succeeded", after: "succeeded" };
  expect(stepWords({ ...step, differs: ["input", "route"] })).toBe("other input, goes on elsewhere");
  expect(stepWords({ ...step, after: "", differs: ["missing"] })).toBe("not reached any more");
});
