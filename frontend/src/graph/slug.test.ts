// Ids of flows out of names.
import { expect, test } from "vitest";
import { slugOf } from "./slug";

test("makes an id that the server takes", () => {
  expect(slugOf("Judge the invoice")).toBe("judge_the_invoice");
  expect(slugOf("  2. Prüfung: Lieferant!  ")).toBe("prufung_lieferant");
  expect(slugOf("x".repeat(90))).toHaveLength(63);
  expect(slugOf("検証")).toBe("");
});
