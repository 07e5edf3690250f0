import { describe, expect, it } from "vitest";
import { type FlowDocument, opened } from "./document";
import { connect, connectionRefusal, moveEdge, removeNodes, setIn, updateNode } from "./edits";

function flow(): FlowDocument {
  const node = (id: string, parent?: string) => ({ id, type: "transform", config: {}, ...(parent ? { parent } : {}) });
  return opened({
    format: 1,
    id: "f",
    start: "a",
    nodes: [node("a"), node("box"), node("in", "box"), node("deep", "in"), node("b")],
    edges: [
      { source: "a", target: "box" },
      { id: "e1", source: "box", target: "b" },
    ],
  });
}

describe("edits", () => {
  it("gives each edge an id of its own on opening", () => {
    expect(flow().edges.map((edge) => edge.id)).toEqual(["e2", "e1"]);
  });

  it("removes what a container holds, its edges, and a start that is gone", () => {
    const next = removeNodes(["box", "a"])(flow());
    expect(next.nodes.map((node) => node.id)).toEqual(["b"]);
    expect(next.edges).toEqual([]);
    expect("start" in next).toBe(false);
  });

  it("gives the same document where there is nothing to remove", () => {
    const before = flow();
    expect(removeNodes(["nowhere"])(before)).toBe(before);
  });

  it("refuses an edge across the border of a container, and one that is there already", () => {
    expect(connectionRefusal(flow(), "a", "in")).toMatch(/border/);
    expect(connectionRefusal(flow(), "box", "in")).toMatch(/holds/);
    expect(connectionRefusal(flow(), "a", "box")).toMatch(/already/);
    const before = flow();
    expect(connect({ source: "a", target: "in" })(before)).toBe(before);
  });

  it("leaves out of the document what is set to undefined", () => {
    const next = updateNode("a", { name: undefined, parent: "box" })(flow());
    expect(next.nodes[0]).toEqual({ id: "a", type: "transform", config: {}, parent: "box" });
  });
});

describe("one place inside a part", () => {
  it("is set and taken away by a pointer", () => {
    const place = { kind: "node", id: "a" } as const;
    const next = setIn(place, "/retry/max_attempts", 3)(flow());
    expect(next.nodes[0]?.retry).toEqual({ max_attempts: 3 });
    expect(setIn(place, "/retry", undefined)(next).nodes[0]).toEqual(flow().nodes[0]);
    expect(setIn({ kind: "edge", id: "e1" }, "/when", "x")(flow()).edges[1]?.when).toBe("x");
    expect(setIn({ kind: "settings" }, "/policy/max_steps", 5)(flow()).policy).toEqual({ max_steps: 5 });
  });
});

describe("the order of edges", () => {
  it("changes among those of one outcome only", () => {
    const more = opened({
      ...flow(),
      edges: [
        { id: "one", source: "a", target: "b" },
        { id: "two", source: "a", target: "b", on: "error" },
        { id: "three", source: "a", target: "box" },
      ],
    });
    expect(moveEdge("three", -1)(more).edges.map((edge) => edge.id)).toEqual(["three", "two", "one"]);
    expect(moveEdge("three", 1)(more)).toBe(more);
    expect(moveEdge("two", -1)(more)).toBe(more);
  });
});
