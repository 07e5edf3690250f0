import { describe, expect, it } from "vitest";
import { existing, readPlace, withPlace } from "./place";

describe("the place that a run's address names", () => {
  it("comes back as it was, and leaves the rest of the address alone", () => {
    const place = { view: "timeline", node: "pay", seq: 12 } as const;
    const search = withPlace("?steps=failed", place);
    expect(readPlace(search)).toEqual(place);
    expect(search).toContain("steps=failed");
    expect(withPlace(search, { view: "graph", node: null, seq: null })).toBe("?steps=failed");
  });

  it("takes nonsense for nothing", () => {
    expect(readPlace("?seq=x&view=cake")).toEqual({ view: "graph", node: null, seq: null });
  });

  it("holds only what the run has: its nodes, and events before its newest", () => {
    const hasNode = (id: string) => id === "pay";
    const place = { view: "graph", node: "pay", seq: 3 } as const;
    expect(existing(place, hasNode, 9)).toEqual(place);
    expect(existing({ ...place, node: "no such node" }, hasNode, 9).node).toBeNull();
    expect(existing({ ...place, seq: 99 }, hasNode, 9).seq).toBeNull();
  });
});
