import { describe, expect, it } from "vitest";
import { edgesOf, flowOf } from "~/testing/flows";
import { connecting, needsJoin, portOfEdge, refusalOf } from "./connecting";
import { findNode } from "./document";
import { updateEdge, updateNode } from "./edits";
import { portsOf } from "./ports";
import { edgesFrom, wiringOf } from "./wiring";

const portIds = (flow: ReturnType<typeof flowOf>, id: string) => {
  const node = findNode(flow, id);
  return node ? portsOf(node, edgesFrom(wiringOf(flow), id)).map((port) => port.id) : [];
};

describe("ports", () => {
  it("are one for the usual way, and one for each other outcome that is used", () => {
    expect(portIds(flowOf("a > b", "a timeout> c", "a error> d"), "a")).toEqual(["success", "error", "timeout"]);
    expect(portIds(flowOf("a:return"), "a")).toEqual([]);
  });

  it("are one for each branch, the one without a condition last", () => {
    const flow = updateEdge("a-c", { when: "x" })(flowOf("a:one_of > b", "a > c"));
    expect(portIds(flow, "a")).toEqual(["branch:a-c", "branch:a-b", "new"]);
  });
});

describe("connecting", () => {
  it("draws a plain edge, or one for another outcome", () => {
    const flow = flowOf("a", "b");
    expect(edgesOf(connecting(flow, { source: "a", port: "success" }, "b").edit(flow))).toEqual(["a > b"]);
    expect(edgesOf(connecting(flow, { source: "a", port: "error" }, "b").edit(flow))).toEqual(["a error> b"]);
  });

  it("puts a further branch before the one that takes what remains, and asks for its condition", () => {
    const flow = flowOf("a:one_of > b", "c");
    const { edit, edge, note } = connecting(flow, { source: "a", port: "new" }, "c");
    const next = edit(flow);
    expect(edgesOf(next)).toEqual(["a > c", "a > b"]);
    expect(next.edges[0]).toMatchObject({ id: edge, when: "" });
    expect(note).toMatch(/condition/);
  });

  it("leads a branch elsewhere", () => {
    const flow = flowOf("a:one_of > b", "c");
    expect(edgesOf(connecting(flow, { source: "a", port: "branch:a-b" }, "c").edit(flow))).toEqual(["a > c"]);
  });

  it("refuses with a reason", () => {
    const flow = flowOf("a > b", "e:end", "box:sequence", "box/x");
    expect(refusalOf(flow, { source: "a", port: "success" }, "a")).toMatch(/itself/);
    expect(refusalOf(flow, { source: "e", port: "success" }, "a")).toMatch(/ends its path/);
    expect(refusalOf(flow, { source: "a", port: "error" }, "x")).toMatch(/border/);
    expect(refusalOf(flow, { source: "a", port: "error" }, "b")).toBeNull();
  });
});

describe("a meeting of paths that may live at once", () => {
  it("waits for those that were taken, written with the edge", () => {
    const base = updateNode("a", { fan_out: true, read_only: true, synthesis: "s" })(flowOf("a > b > d", "a > c > s"));
    const next = connecting(base, { source: "c", port: "success" }, "d").edit(base);
    expect(findNode(next, "d")?.join).toBe("active");
  });

  it("waits in a parallel container too, but not where only one branch leads to it", () => {
    const flow = flowOf("box:parallel", "box/a > box/c", "box/b");
    const next = connecting(flow, { source: "b", port: "success" }, "c").edit(flow);
    expect(findNode(next, "c")?.join).toBe("active");
    const choice = flowOf("box:parallel", "box/a:one_of > box/b > box/d", "a > box/c", "box/e");
    const after = connecting(choice, { source: "c", port: "success" }, "d").edit(choice);
    expect(findNode(after, "d")?.join).toBeUndefined();
  });

  it("is none after a plain branch, at a synthesis, or where a join stands already", () => {
    expect(needsJoin(flowOf("a:one_of > b > d", "a > c > d"), "d")).toBe(false);
    const fan = updateNode("a", { fan_out: true, synthesis: "d" })(flowOf("a > b > d", "a > c > d"));
    expect(needsJoin(fan, "d")).toBe(false);
    const joined = updateNode("d", { join: "any" })(flowOf("p:parallel", "p/b > p/d", "p/c > d"));
    expect(needsJoin(joined, "d")).toBe(false);
  });
});

describe("leading an edge elsewhere", () => {
  const flow = flowOf("a", "b", "c", "box:sequence", "box/in", "a > b", "a error> c", "b > c");
  const plain = flow.edges[0] ?? { id: "", source: "", target: "" };
  const start = { source: "a", port: portOfEdge(plain.id) };

  it("goes to any node that the edge may lead to", () => {
    expect(refusalOf(flow, start, "c")).toBeNull();
    const { edit, edge } = connecting(flow, start, "c");
    expect(edge).toBe(plain.id);
    expect(edit(flow).edges[0]).toEqual({ ...plain, target: "c" });
  });

  it("says why not", () => {
    expect(refusalOf(flow, start, "b")).toBe("It leads there already.");
    expect(refusalOf(flow, start, "a")).toContain("does not lead to itself");
    expect(refusalOf(flow, start, "in")).toContain("border of a container");
    const twice = { ...flow, edges: [...flow.edges, { id: "second", source: "a", target: "c" }] };
    expect(refusalOf(twice, start, "c")).not.toBeNull();
  });
});
