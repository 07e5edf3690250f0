import { describe, expect, it } from "vitest";
import type { Input } from "~/graph/document";
import { initialTyped, readTyped } from "./inputValues";

const inputs: Input[] = [
  { name: "topic", type: "short_text", required: true },
  { name: "limit", type: "integer" },
  { name: "rows", type: "list" },
  { name: "fast", type: "boolean" },
];

describe("the values of a start form", () => {
  it("are read by the types of the inputs", () => {
    const typed = { topic: " x ", limit: "3", rows: "[1]", fast: true };
    expect(readTyped(inputs, typed)).toEqual({
      values: { topic: " x ", limit: 3, rows: [1], fast: true },
      problems: {},
    });
  });

  it("say what is wrong with each field at once", () => {
    const { problems } = readTyped(inputs, { topic: "", limit: "2.5", rows: '{"a": 1}', fast: false });
    expect(Object.keys(problems)).toEqual(["topic", "limit", "rows"]);
  });

  it("leave out what is empty, so that its default holds", () => {
    expect(readTyped([{ name: "limit", type: "number" }], { limit: "" }).values).toEqual({});
  });

  it("begin with what was started with last, else with the defaults", () => {
    const some: Input[] = [
      { name: "a", type: "number", default: 5 as never },
      { name: "b", type: "list" },
    ];
    expect(initialTyped(some, {})).toEqual({ a: "5", b: "" });
    expect(initialTyped(some, { b: [1] })).toEqual({ a: "5", b: "[\n  1\n]" });
  });
});
