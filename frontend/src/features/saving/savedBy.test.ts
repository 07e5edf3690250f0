// Unit tests of the words about who saved the other draft.
import { expect, it } from "vitest";
import { savedBy } from "./savedBy";

it("does not take oneself in another tab for somebody else", () => {
  expect(savedBy("ada", "ada")).toEqual({
    who: "the other tab",
    told: "this draft was saved in another tab or by ada",
  });
  expect(savedBy("ben", "ada").told).toBe("ben has saved this draft in the meantime");
  expect(savedBy(null, "ada").who).toBe("somebody");
});
