import { describe, expect, it } from "vitest";
import { flowOf } from "~/testing/flows";
import { backEdges, closesLoop, readingOrder, siblingsOf } from "./wiring";

describe("the reading order", () => {
  it("follows the edges, with what a container holds right after it", () => {
    const flow = flowOf("z:end", "a > box:for_each > z", "box/x > box/y");
    expect(readingOrder(flow)).toEqual(["a", "box", "x", "y", "z"]);
  });

  it("finishes each branch before what they lead to, the first branch first", () => {
    expect(readingOrder(flowOf("a > b > d", "a > c > d"))).toEqual(["a", "b", "c", "d"]);
  });

  it("knows what leads back, also in a loop that nothing leads into", () => {
    const flow = flowOf("a > b > c > b", "x > y > x");
    expect([...backEdges(flow)]).toEqual(["c-b", "y-x"]);
    expect(readingOrder(flow)).toHaveLength(5);
  });

  it("holds nodes of containers that hold one another", () => {
    const flow = flowOf("b/a:sequence", "a/b:sequence", "c");
    expect([...readingOrder(flow)].sort()).toEqual(["a", "b", "c"]);
  });

  it("takes a chain of many thousand nodes", () => {
    const flow = flowOf(Array.from({ length: 3000 }, (_, index) => `n${index}`).join(" > "));
    expect(readingOrder(flow).at(-1)).toBe("n2999");
  });
});

it("says which edge would close a loop", () => {
  const flow = flowOf("a > b > c");
  expect(closesLoop(flow, "c", "a")).toBe(true);
  expect(closesLoop(flow, "a", "c")).toBe(false);
});

it("finds siblings: what shares a predecessor, or begins the level", () => {
  const flow = flowOf("a > b", "a > c", "box:parallel", "box/x", "box/y");
  expect(siblingsOf(flow, "b")).toEqual(["b", "c"]);
  expect(siblingsOf(flow, "x")).toEqual(["x", "y"]);
});
