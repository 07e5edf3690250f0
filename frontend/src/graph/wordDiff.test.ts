import { describe, expect, it } from "vitest";
import { wordDiff } from "./wordDiff";

describe("the difference of two texts in words", () => {
  it("marks only the words that changed", () => {
    expect(wordDiff("Pay {{id}} now", "Pay {{orderId}} now")).toEqual([
      { kind: "same", text: "Pay {{" },
      { kind: "removed", text: "id" },
      { kind: "added", text: "orderId" },
      { kind: "same", text: "}} now" },
    ]);
  });

  it("gives both texts back when its pieces are put together", () => {
    const [before, after] = ["a b  c d", "b c e d d"];
    const pieces = wordDiff(before, after);
    const side = (without: string) =>
      pieces
        .filter((one) => one.kind !== without)
        .map((one) => one.text)
        .join("");
    expect(side("added")).toBe(before);
    expect(side("removed")).toBe(after);
  });
});
