// When a flow is said to be too large, and what of it begins folded.
import { expect, it } from "vitest";
import { flowOf } from "~/testing/flows";
import { crowdOf, foldedAtFirst, MANY_NODES, MANY_ON_A_LEVEL, TOO_MANY_ON_A_LEVEL } from "./crowded";

const many = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}n${index}`);

it("names the fullest level, and none where all can be read", () => {
  expect(crowdOf(flowOf(...many(MANY_ON_A_LEVEL - 1, "")))).toBeNull();
  const full = { where: "the flow", count: MANY_ON_A_LEVEL, tooMany: false };
  expect(crowdOf(flowOf(...many(MANY_ON_A_LEVEL, "")))).toEqual(full);
  const inside = flowOf("box:sequence", ...many(TOO_MANY_ON_A_LEVEL, "box/"));
  expect(crowdOf(inside)).toEqual({ where: "box", count: TOO_MANY_ON_A_LEVEL, tooMany: true });
});

it("folds the containers of a large flow, and none of a small one", () => {
  const folded = (count: number) => foldedAtFirst(flowOf("box:sequence", ...many(count, "box/"))).map(({ id }) => id);
  expect(folded(MANY_NODES - 1)).toEqual([]);
  expect(folded(MANY_NODES)).toEqual(["box"]);
});
