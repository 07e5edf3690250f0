import { describe, expect, it } from "vitest";
import { type FlowDocument, opened } from "./document";
import { differences, merged, rebased, sharing } from "./merge";

const node = (id: string, name?: string) => ({ id, type: "end", config: {}, ...(name ? { name } : {}) });

function flow(nodes: ReturnType<typeof node>[], more: Partial<FlowDocument> = {}): FlowDocument {
  return opened({ format: 1, id: "f", nodes, edges: [{ id: "ab", source: "a", target: "b" }], ...more });
}

const base = flow([node("a"), node("b")]);

describe("merging two drafts", () => {
  it("takes what only one side changed from that side", () => {
    const mine = flow([node("a", "Mine"), node("b")]);
    const theirs = flow([node("a"), node("b", "Theirs"), node("c")], { name: "New name" });
    const result = merged(base, mine, theirs);
    expect(result.nodes.map((one) => one.name ?? one.id)).toEqual(["Mine", "Theirs", "c"]);
    expect(result.name).toBe("New name");
    expect(differences(base, mine, theirs).every((one) => one.changedBy !== "both")).toBe(true);
  });

  it("asks about a part that both changed, and keeps mine unless told otherwise", () => {
    const mine = flow([node("a", "Mine"), node("b")]);
    const theirs = flow([node("a", "Theirs"), node("b")]);
    expect(differences(base, mine, theirs)).toMatchObject([{ key: "node:a", changedBy: "both" }]);
    expect(merged(base, mine, theirs).nodes[0]?.name).toBe("Mine");
    expect(merged(base, mine, theirs, { "node:a": "theirs" }).nodes[0]?.name).toBe("Theirs");
  });

  it("drops an edge whose node the other side deleted", () => {
    const theirs = { ...flow([node("a")]), edges: [] };
    const mine = flow([node("a", "Mine"), node("b")]);
    const result = merged(base, mine, theirs);
    expect(result.nodes.map((one) => one.id)).toEqual(["a"]);
    expect(result.edges).toEqual([]);
  });

  it("keeps a node that one side changed and the other deleted, for somebody to choose", () => {
    const mine = flow([node("a"), node("b", "Changed")]);
    const theirs = { ...flow([node("a")]), edges: [] };
    expect(differences(base, mine, theirs).find((one) => one.key === "node:b")?.changedBy).toBe("both");
    expect(merged(base, mine, theirs).nodes.map((one) => one.id)).toEqual(["a", "b"]);
    expect(merged(base, mine, theirs, { "node:b": "theirs" }).nodes.map((one) => one.id)).toEqual(["a"]);
  });

  it("puts what the other side added where it stands there", () => {
    const theirs = flow([node("a"), node("x"), node("b")]);
    const mine = flow([node("a"), node("b"), node("y")]);
    expect(merged(base, mine, theirs).nodes.map((one) => one.id)).toEqual(["a", "x", "b", "y"]);
  });
});

describe("a step of the undo history after somebody else saved", () => {
  const now = flow([{ id: "a", type: "end", name: "Mine", config: {} }]);
  const before = flow([{ id: "a", type: "end", name: "Before", config: {} }]);

  it("undoes what was done here to a node, and nothing of what they did to the same one", () => {
    const theirs = flow([{ ...node("a", "Mine"), config: { value: "theirs" } }]);
    expect(rebased(now, before, theirs).nodes).toEqual([
      { id: "a", type: "end", name: "Before", config: { value: "theirs" } },
    ]);
  });

  it("keeps the value that they gave to what was changed here too, and what they deleted stays deleted", () => {
    const theirs = flow([{ id: "a", type: "end", name: "Theirs", config: {} }]);
    expect(rebased(now, before, theirs).nodes[0]?.name).toBe("Theirs");
    expect(rebased(now, before, flow([])).nodes).toEqual([]);
  });
});

describe("sharing what two documents have in common", () => {
  it("gives the next document, with the parts of the one before where they are the same", () => {
    const next = flow([node("b"), node("a", "Other")], { name: "New name" });
    const shared = sharing(base, next);
    expect(shared).toEqual(next);
    expect(shared.nodes[0]).toBe(base.nodes[1]);
    expect(shared.edges[0]).toBe(base.edges[0]);
    expect(shared.nodes[1]).toBe(next.nodes[1]);
  });
});
