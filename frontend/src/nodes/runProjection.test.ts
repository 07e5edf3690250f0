import { describe, expect, it } from "vitest";
import type { RunEvent } from "~/api/runs";
import { RunProjection } from "./runProjection";

let seq = 0;
const event = (type: string, step?: string, more: Partial<RunEvent> = {}): RunEvent => {
  seq += 1;
  return {
    seq,
    type,
    level: "public",
    ts: seq,
    data: {},
    visit: 1,
    attempt: 1,
    ...(step ? { step, path: step } : {}),
    ...more,
  };
};
const nodes = (projection: RunProjection, events: RunEvent[]) => new Map(projection.take(events).nodes ?? []);

describe("how nodes stand in a run", () => {
  it("follows a step from its start over a retry to its end", () => {
    const projection = new RunProjection();
    expect(nodes(projection, [event("step-start", "a")]).get("a")).toEqual({ status: "running" });
    const retry = event("step-retry", "a", { data: { max_attempts: 3, attempt: 1 } });
    expect(nodes(projection, [retry]).get("a")).toMatchObject({ status: "retrying", attempts: 3 });
    const end = event("step-complete", "a", { attempt: 2 });
    expect(nodes(projection, [end]).get("a")).toEqual({ status: "succeeded", attempt: 2, attempts: 3 });
  });

  it("shows of many iterations the one that still goes on, and how many failed", () => {
    const projection = new RunProjection();
    const found = nodes(projection, [
      event("step-start", "a", { path: "each[0].a" }),
      event("step-start", "a", { path: "each[1].a" }),
      event("step-error", "a", { path: "each[1].a", data: { error: { code: "tool_failed", message: "No." } } }),
    ]);
    expect(found.get("a")).toEqual({ status: "running", count: 2, failed: 1 });
    expect(projection.failure).toEqual({ step: "a", message: "No." });
  });

  it("is first looked at where it goes on, waits or has failed last", () => {
    const projection = new RunProjection();
    projection.take([event("step-start", "a"), event("step-complete", "a")]);
    expect(projection.lookedFor()).toBeNull();
    projection.take([event("step-error", "b"), event("step-start", "c"), event("step-complete", "c")]);
    expect(projection.lookedFor()).toBe("b");
    projection.take([event("step-start", "a", { visit: 2 })]);
    expect(projection.lookedFor()).toBe("a");
  });

  it("counts how often an edge was taken", () => {
    const projection = new RunProjection();
    const taken = () => event("edge-taken", "a", { data: { edge: "e1" } });
    expect(projection.take([taken(), taken()]).edges).toEqual([["e1", { count: 2 }]]);
  });

  it("tells a pause by a person from one that waits for an approval", () => {
    const projection = new RunProjection();
    projection.take([event("run-paused", undefined, { data: { reason: "approval" } })]);
    expect(projection.status).toBe("awaiting_approval");
    projection.take([event("run-resumed"), event("run-paused", undefined, { data: { reason: "person" } })]);
    expect(projection.status).toBe("paused");
  });
});
