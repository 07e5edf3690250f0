import { describe, expect, it } from "vitest";
import { edgesOf, flowOf } from "~/testing/flows";
import { newNode } from "./creating";
import { findNode, placeOf } from "./document";
import { updateNode } from "./edits";
import { found } from "./finding";
import { fragmentOf, fragmentText, parseFragment, paste } from "./fragment";

const at = () => ({ x: 10, y: 20 });

function copied(flow: ReturnType<typeof flowOf>, ids: string[]) {
  const parsed = parseFragment(fragmentText(fragmentOf(flow, ids, at)));
  if ("refusal" in parsed) throw new Error(parsed.refusal);
  return parsed.fragment;
}

describe("copied nodes", () => {
  it("come back with new ids, what they hold, and the edges between them", () => {
    const flow = flowOf("a > box:for_each > z", "box/x > box/y");
    const { edit, ids } = paste(flow, copied(flow, ["box", "x", "z"]), undefined, { x: 300, y: 400 });
    const next = edit(flow);
    expect(ids).toEqual(["box_2", "z_2"]);
    expect(edgesOf(next).slice(3)).toEqual(["box_2 > z_2", "x_2 > y_2"]);
    expect(new Set(next.edges.map((edge) => edge.id)).size).toBe(next.edges.length);
    expect(findNode(next, "y_2")?.parent).toBe("box_2");
    expect(placeOf(findNode(next, "box_2") as never)).toEqual({ x: 300, y: 400 });
  });

  it("refer to one another by their new ids, and say what is missing", () => {
    const flow = updateNode("b", {
      config: { fields: { one: "{{steps.a.output}}", two: "$x" }, other: "steps.q.output" },
    })(flowOf("a > b"));
    const { edit, unresolved } = paste(flow, copied(flow, ["a", "b"]), undefined, { x: 0, y: 0 });
    expect(findNode(edit(flow), "b_2")?.config).toEqual({
      fields: { one: "{{steps.a_2.output}}", two: "$x" },
      other: "steps.q.output",
    });
    expect(unresolved).toEqual(["q"]);
  });

  it("keep what this editor does not know", () => {
    const flow = updateNode("a", { "x-mine": 1, type: "strange" } as never)(flowOf("a"));
    const next = paste(flow, copied(flow, ["a"]), undefined, { x: 0, y: 0 }).edit(flow);
    expect(findNode(next, "a_2")).toMatchObject({ type: "strange", "x-mine": 1 });
  });
});

describe("a text that is pasted", () => {
  it.each([
    ["", /no text/],
    ["{\n  nope}", /not JSON.*line 2, character 3/],
    ["{}", /no list/],
    ['{"nodes": [{"id": "a", "type": "end"}, {"id": "b"}]}', /nodes\[1\] has no text `type`/],
    ['[{"id": "a", "type": "end"}, {"id": "a", "type": "end"}]', /another one has too/],
    ['{"nodes": [{"id": "a", "type": "end"}], "edges": [{"source": "a"}]}', /edges\[0\]/],
    ['{"nodes": [{"id": "a", "type": "end", "layout": {"x": "1"}}]}', /layout/],
  ])("says what is wrong with %s", (text, words) => {
    expect(parseFragment(text)).toEqual({ refusal: expect.stringMatching(words) });
  });

  it("may be a list of nodes or a single one", () => {
    expect(parseFragment('[{"id": "a", "type": "end"}]')).toMatchObject({ fragment: { nodes: [{ config: {} }] } });
    expect(parseFragment('{"id": "a", "type": "end"}')).toMatchObject({ fragment: { nodes: [{ id: "a" }] } });
  });
});

it("finds texts in every field, names first", () => {
  const flow = updateNode("b", { name: "Pay", config: { checks: { paid: "amount > 3" } } })(
    updateNode("a", { notes: "pay later" })(flowOf("a > b")),
  );
  expect(found(flow, "pay").map((one) => [one.id, one.field])).toEqual([
    ["b", "name"],
    ["a", "notes"],
  ]);
  expect(found(flow, "amount")[0]).toMatchObject({ id: "b", pointer: "/config/checks/paid" });
  expect(found(flow, "paid")).toHaveLength(1);
  expect(found(flow, " ")).toEqual([]);
});

it("gives a new node what its schema demands, and the flow's values to arguments of their name", () => {
  const flow = { ...flowOf("a"), inputs: [{ name: "message", type: "long_text" as const }] };
  const schema = { required: ["n", "s"], properties: { n: { type: "integer", minimum: 1 }, s: { type: "string" } } };
  expect(newNode(flow, { type: "thing", title: "Thing", configSchema: schema })).toEqual({
    id: "thing",
    type: "thing",
    name: "Thing",
    config: { n: 1, s: "" },
  });
  const tool = {
    name: "a",
    schema: { required: ["message", "to"], properties: { message: {}, to: { type: "string" } } },
  };
  expect(newNode(flow, { type: "tool_call", title: "A", configSchema: {}, tool })).toMatchObject({
    id: "a_2",
    config: { tool: "a", arguments: { message: "{{message}}", to: "" } },
  });
});
