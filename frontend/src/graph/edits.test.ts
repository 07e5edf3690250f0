import { describe, expect, it } from "vitest";
import { type FlowDocument, opened } from "./document";
import { connect, connectionRefusal, removeNodes, updateNode } from "./edits";

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
