// When a flow is said to be too large.
import { expect, it } from "vitest";
import { flowOf } from "~/testing/flows";
import { crowdOf, MANY_ON_A_LEVEL } from "./crowded";

const many = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}n${index}`);

it("names the fullest level, and none where all can be read", () => {
  expect(crowdOf(flowOf(...many(MANY_ON_A_LEVEL - 1, "")))).toBeNull();
  expect(crowdOf(flowOf(...many(MANY_ON_A_LEVEL, "")))).toEqual({ where: "the flow", count: MANY_ON_A_LEVEL });
  const inside = flowOf("box:sequence", ...many(MANY_ON_A_LEVEL + 5, "box/"));
  expect(crowdOf(inside)).toEqual({ where: "box", count: MANY_ON_A_LEVEL + 5 });
});
