// Unit tests of the words about who saved the other draft.
import { expect, it } from "vitest";
import { savedBy } from "./savedBy";

it("does not take oneself in another tab for somebody else", () => {
  expect(savedBy("ada", "ada")).toEqual({ who: "your other tab", told: "you have saved this draft in another tab" });
  expect(savedBy("ben", "ada").told).toBe("this draft was saved in another tab or by ben");
  expect(savedBy(null, "ada").who).toBe("somebody");
});
