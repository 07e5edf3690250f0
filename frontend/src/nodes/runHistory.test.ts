import { describe, expect, it } from "vitest";
import type { RunEvent } from "~/api/runs";
import { opened } from "~/graph/document";
import { spanOf, timelineOf, whyNot } from "./runHistory";
import { markOfEvent } from "./runProjection";

const event = (type: string, step: string, ts: number, more: Partial<RunEvent> = {}): RunEvent => ({
  seq: ts,
  type,
  level: "public",
  ts,
  data: {},
  step,
  path: step,
  visit: 1,
  attempt: 1,
  ...more,
});

describe("the timeline of a run", () => {
  it("has a block for each attempt and each back-off, with how it ended", () => {
    const rows = timelineOf(
      [
        event("step-scheduled", "a", 1),
        event("step-start", "a", 2),
        event("step-retry", "a", 5, { data: { max_attempts: 2 } }),
        event("attempt-start", "a", 8, { attempt: 2 }),
        event("step-complete", "a", 9, { attempt: 2 }),
      ],
      markOfEvent,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.blocks).toMatchObject([
      { kind: "attempt", mark: "failed", from: 2, to: 5 },
      { kind: "backoff", from: 5, to: 8 },
      { kind: "attempt", mark: "succeeded", from: 8, to: 9, attempt: 2 },
    ]);
  });

  it("shows a wait for a person apart, and what goes on without an end", () => {
    const rows = timelineOf([event("step-start", "a", 1), event("approval-requested", "a", 2)], markOfEvent);
    expect(rows[0]?.blocks).toMatchObject([
      { kind: "attempt", to: 2 },
      { kind: "wait", mark: "approval", from: 2 },
    ]);
    expect(spanOf(rows, 50)).toEqual([1, 50]);
  });
});

describe("why a node did not run", () => {
  const document = opened({
    format: 1,
    id: "f",
    nodes: ["a", "b", "c"].map((id) => ({ id, type: "transform", config: {} })),
    edges: [
      { id: "ab", source: "a", target: "b", when: "x > 1" },
      { id: "bc", source: "b", target: "c" },
    ],
  });

  it("names the condition that did not hold, and what it saw", () => {
    const tried = [{ edge: "ab", target: "b", when: "x > 1", values: { x: 0 } }];
    const events = [event("step-start", "a", 1), event("path-ended", "a", 2, { data: { tried } })];
    expect(whyNot(document, events, "b")).toEqual(['The condition x > 1 did not hold; it saw {"x":0}.']);
    expect(whyNot(document, events, "c")).toEqual(["“b”, from which it is reached, did not run."]);
    expect(whyNot(document, events, "a")).toEqual([]);
  });
});
