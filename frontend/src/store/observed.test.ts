// How what was observed relates to the document that is edited now.
import { describe, expect, it } from "vitest";
import type { FlowDocument } from "~/graph/document";
import { type Observed, standingOf } from "./observed";

const node = (id: string, more: object = {}) => ({ id, type: "set_variable", config: { variable: id }, ...more });
const flow = (...nodes: FlowDocument["nodes"]): FlowDocument => ({ format: 1, id: "f", nodes, edges: [] });

const then = flow(node("a"), node("b"), node("c"));
const observed: Observed = {
  source: { kind: "run", run: "0", version: 1 },
  document: then,
  before: { differs: true, changed: new Set(["b"]), absent: new Set(["c"]) },
  nodes: new Map(),
  edges: new Map(),
};

describe("a node beside what was observed", () => {
  it("is the same, changed before, or was not there", () => {
    expect(["a", "b", "c"].map((id) => standingOf(observed, then, id))).toEqual(["same", "changed", "absent"]);
  });

  it("follows the edits since: moved is the same, another config is changed, new is absent", () => {
    const moved = flow(node("a", { layout: { x: 9, y: 9 } }));
    expect(standingOf(observed, moved, "a")).toBe("same");
    expect(standingOf(observed, flow(node("a", { enabled: false })), "a")).toBe("changed");
    expect(standingOf(observed, flow(node("a"), node("d")), "d")).toBe("absent");
  });
});
