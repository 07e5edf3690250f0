// What makes two documents differ for a run, and what does not.
import { describe, expect, it } from "vitest";
import type { FlowDocument } from "./document";
import { sameLogic, sameNode } from "./logic";

const flow: FlowDocument = {
  format: 1,
  id: "pay",
  nodes: [
    { id: "fetch", type: "tool_call", config: { tool: "fetch", arguments: { a: 1, b: 2 } } },
    { id: "pay", type: "tool_call", config: { tool: "pay" } },
  ],
  edges: [{ id: "e1", source: "fetch", target: "pay", when: "ok" }],
};

const withNode = (change: object): FlowDocument => ({
  ...flow,
  nodes: flow.nodes.map((node) => (node.id === "fetch" ? { ...node, ...change } : node)),
});

describe("documents that do the same", () => {
  it("differ in places, names, notes, labels and the order of keys alone", () => {
    for (const other of [
      withNode({ layout: { x: 40, y: 8, collapsed: true } }),
      withNode({ name: "Fetch it", notes: "why", "x-colour": "red" }),
      withNode({ config: { arguments: { b: 2, a: 1 }, tool: "fetch" } }),
      { ...flow, name: "Paying", description: "Pays." },
      { ...flow, edges: [{ id: "e1", source: "fetch", target: "pay", when: "ok", label: "fine" }] },
    ])
      expect(sameLogic(flow, other)).toBe(true);
  });
});

describe("documents that may do something else", () => {
  it("differ in what a step is given, in edges, in order, in inputs", () => {
    for (const other of [
      withNode({ config: { tool: "fetch", arguments: { a: 1, b: 3 } } }),
      withNode({ enabled: false }),
      { ...flow, nodes: [...flow.nodes].reverse() },
      { ...flow, nodes: flow.nodes.slice(1) },
      { ...flow, edges: [{ id: "e1", source: "fetch", target: "pay", when: "!ok" }] },
      { ...flow, inputs: [{ name: "topic", type: "short_text" as const }] },
    ])
      expect(sameLogic(flow, other)).toBe(false);
  });

  it("have nodes that are not both there", () => {
    expect(sameNode(flow.nodes[0], undefined)).toBe(false);
    expect(sameNode(undefined, undefined)).toBe(true);
  });
});
