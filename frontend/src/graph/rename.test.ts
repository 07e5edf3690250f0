import { describe, expect, it } from "vitest";
import { type FlowDocument, opened } from "./document";
import { inExpression, renameNode, renameRefusal } from "./rename";

function flow(): FlowDocument {
  return opened({
    format: 1,
    id: "f",
    start: "a",
    nodes: [
      { id: "a", type: "sequence", config: {} },
      {
        id: "ab",
        type: "end",
        parent: "a",
        config: { value: "{{steps.a.output}} a steps.a {{ab}} {{steps.ab.output}}" },
      },
      {
        id: "s",
        type: "end",
        synthesis: "a",
        config: { value: { $expr: "steps.a.output + 'steps.a {{steps.a.error.code}}'" } },
      },
      { id: "e", type: "evaluator", config: { expression: "steps['a'].output && !mysteps.a", other: "steps.a" } },
      { id: "v", type: "verifier", config: { checks: { fine: "steps.a.output > 1" } } },
    ],
    edges: [
      { id: "one", source: "a", target: "s", when: "steps.a.output == 'a'" },
      { id: "two", source: "s", target: "a" },
    ],
  });
}

const bare = (type: string) => ({ evaluator: ["expression"], verifier: ["checks"] })[type] ?? [];

describe("renaming a node", () => {
  it("changes all that names it, and nothing that only looks so", () => {
    const next = renameNode("a", "z", bare)(flow());
    expect(next.start).toBe("z");
    expect(next.nodes.map((node) => node.id)).toEqual(["z", "ab", "s", "e", "v"]);
    expect(next.nodes[1]?.parent).toBe("z");
    expect(next.nodes[2]?.synthesis).toBe("z");
    expect(next.nodes.map((node) => node.config)).toEqual([
      {},
      { value: "{{steps.z.output}} a steps.a {{ab}} {{steps.ab.output}}" },
      { value: { $expr: "steps.z.output + 'steps.a {{steps.z.error.code}}'" } },
      { expression: "steps['z'].output && !mysteps.a", other: "steps.a" },
      { checks: { fine: "steps.z.output > 1" } },
    ]);
    expect(next.edges.map((edge) => [edge.source, edge.target, edge.when])).toEqual([
      ["z", "s", "steps.z.output == 'a'"],
      ["s", "z", undefined],
    ]);
  });

  it("refuses ids that are taken or no ids, and then changes nothing", () => {
    const before = flow();
    expect(renameRefusal(before, "a", "s")).toMatch(/already/);
    expect(renameRefusal(before, "a", "1a")).toMatch(/letters/);
    expect(renameRefusal(before, "a", "a")).toBeNull();
    expect(renameNode("a", "s", bare)(before)).toBe(before);
    expect(renameNode("a", "a", bare)(before)).toBe(before);
  });

  it("goes back to the same document", () => {
    expect(renameNode("z", "a", bare)(renameNode("a", "z", bare)(flow()))).toEqual(flow());
  });

  it("knows every way to write a path", () => {
    expect(inExpression('steps . a.x + steps[ "a" ].y + steps.ab + x.steps.a', "a", "z")).toBe(
      'steps.z.x + steps[ "z" ].y + steps.ab + x.steps.a',
    );
  });
});
