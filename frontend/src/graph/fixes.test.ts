import { describe, expect, it } from "vitest";
import { type FlowDocument, opened } from "./document";
import { fixOf } from "./fixes";

function flow(): FlowDocument {
  return opened({
    format: 1,
    id: "f",
    policy: { max_step: 3 },
    nodes: [
      { id: "a", type: "tool_call", config: { tool: "t", foo: 1 }, retry: { max_attempts: 2, on: ["x", "canceled"] } },
      { id: "b", type: "end", config: {}, parent: "box", inputs: ["k"] },
    ],
    edges: [{ id: "e", source: "a", target: "b", when: "x" }],
  });
}

function fixed(problem: { code: string; path?: string; message?: string; node?: string; edge?: string }): FlowDocument {
  const fix = fixOf(flow(), { path: "", message: "", ...problem });
  if (!fix) throw new Error("no fix");
  return fix.edit(flow());
}

describe("fixes", () => {
  it("declare a key that nothing sets, but not one that is set too late", () => {
    const message = "Nothing can have set 'total' here: it is no input, no declared state key, no earlier output.";
    expect(fixed({ code: "unknown_variable", message }).state).toEqual({ type: "object", properties: { total: {} } });
    const late = "'total' is set by 'b', but never before this place is reached.";
    expect(fixOf(flow(), { code: "unknown_variable", path: "", message: late })).toBeNull();
  });

  it("add a default edge to an end of its own, in the same container", () => {
    const next = fixed({ code: "no_default_edge", node: "b" });
    expect(next.nodes[2]).toMatchObject({ id: "b_else", type: "end", parent: "box" });
    expect(next.edges[1]).toMatchObject({ source: "b", target: "b_else" });
    expect(next.edges[1]?.when).toBeUndefined();
  });

  it("change one key of a node", () => {
    expect(fixed({ code: "retry_not_idempotent", node: "a" }).nodes[0]).not.toHaveProperty("retry");
    expect(fixed({ code: "runs_more_than_once", node: "b" }).nodes[1]?.join).toBe("active");
    expect(fixed({ code: "waits_without_limit", node: "a" }).nodes[0]?.timeout_ms).toBe(604_800_000);
    const told = { code: "undeclared_read", node: "b", message: "'b' reads 'n' without naming it in its inputs." };
    expect(fixed(told).nodes[1]?.inputs).toEqual(["k", "n"]);
    expect(fixed({ code: "retry_invalid", node: "a", path: "/nodes/0/retry/on/1" }).nodes[0]?.retry?.on).toEqual(["x"]);
  });

  it("take away what leads nowhere and what nobody knows", () => {
    expect(fixed({ code: "edge_dangling", edge: "e" }).edges).toEqual([]);
    const message = "foo: is not a key of this part; keys of your own begin with x-.";
    expect(fixed({ code: "config_invalid", path: "/nodes/0/config/foo", message }).nodes[0]?.config).toEqual({
      tool: "t",
    });
    expect(
      fixOf(flow(), { code: "config_invalid", path: "/nodes/0/config/prompt", message: "prompt: is missing." }),
    ).toBeNull();
  });

  it("give the document the id of its flow", () => {
    const message = "The document has the id 'f', but its flow is 'my_flow'. Write the id of the flow.";
    expect(fixed({ code: "config_invalid", path: "/id", message }).id).toBe("my_flow");
  });

  it("call a limit as the engine does", () => {
    const message = "'max_step' is no limit that is enforced. If you mean 'max_steps', write it so.";
    expect(fixed({ code: "policy_key_unknown", path: "/policy/max_step", message }).policy).toEqual({ max_steps: 3 });
  });

  it("offer nothing for what people must decide", () => {
    expect(fixOf(flow(), { code: "unknown_tool", path: "/nodes/0/config/tool", message: "", node: "a" })).toBeNull();
  });
});
