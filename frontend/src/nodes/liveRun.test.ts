// A simulated run in place of a real one: whole, or up to a step.
import { expect, it } from "vitest";
import type { RunEvent } from "~/api/runs";
import { runOverlay, showsRun, until, useLiveRun } from "./liveRun";

const event = (seq: number, type: string, step?: string): RunEvent => ({
  seq,
  type,
  level: "public",
  ts: 0,
  ...(step ? { step, path: step, visit: 1, attempt: 1 } : {}),
  data: {},
});
const events = [
  event(1, "flow-start"),
  event(2, "step-start", "a"),
  event(3, "step-complete", "a"),
  event(4, "step-start", "b"),
  event(5, "step-error", "b"),
  event(6, "flow-error"),
];

it("shows a simulated run, and stops at the step that is asked for", () => {
  const { show, stop } = useLiveRun.getState();
  show("a test", events);
  expect(useLiveRun.getState()).toMatchObject({ status: "failed", run: null });
  expect(showsRun(useLiveRun.getState())).toBe(true);
  expect(runOverlay.node("b")?.status).toBe("failed");
  show("a test", events, "a");
  expect(runOverlay.node("b")).toBeUndefined();
  expect(runOverlay.node("a")?.status).toBe("succeeded");
  expect(until(events, "nowhere")).toHaveLength(6);
  stop();
  expect(showsRun(useLiveRun.getState())).toBe(false);
});
