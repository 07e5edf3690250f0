import { describe, expect, it } from "vitest";
import { opened } from "./document";
import { unionOf } from "./union";

const node = (id: string) => ({ id, type: "end", config: {} });

describe("two documents as one picture", () => {
  it("hold what is new and what was removed, each once", () => {
    const before = opened({
      format: 1,
      id: "f",
      nodes: [node("a"), node("old")],
      edges: [{ id: "x", source: "a", target: "old" }],
    });
    const after = opened({
      format: 1,
      id: "f",
      nodes: [node("a"), node("new")],
      edges: [{ id: "y", source: "a", target: "new" }],
    });
    const union = unionOf(before, after);
    expect(union.nodes.map((one) => one.id)).toEqual(["a", "new", "old"]);
    expect(union.edges.map((one) => one.id)).toEqual(["y", "x"]);
  });
});
