import { describe, expect, it } from "vitest";
import { mapTexts, sourceOf, toExpression, toTemplate } from "./values";

describe("between a text and an expression", () => {
  it.each([
    ["{{a.b[0].c}}", "a.b[0].c"],
    ["$name", "name"],
    ["plain", "'plain'"],
    ["it's {{x}}\n", "'it\\'s {{x}}\\n'"],
    ["", ""],
    [3, "3"],
    [null, "null"],
  ])("%j becomes %j", (value, text) => {
    expect(toExpression(value)).toEqual({ $expr: text });
  });

  it.each([
    ["a.b", "{{a.b}}"],
    ["'it\\'s {{x}}\\n'", "it's {{x}}\n"],
    ["", ""],
    ["a + 1", null],
    ["true", null],
  ])("%j goes back to %j", (text, template) => {
    expect(toTemplate({ $expr: text })).toBe(template);
  });

  it("says how a value is given", () => {
    expect(sourceOf({ $expr: "1" }, true)).toBe("expression");
    expect(sourceOf("a", true)).toBe("fixed");
    expect(sourceOf("{{a}}", false)).toBe("template");
    expect(sourceOf(3, false)).toBe("fixed");
    expect(sourceOf({ $expr: 3 }, false)).toBe("fixed");
  });

  it("shares what a change leaves alone", () => {
    const value = { a: ["x", { $expr: "y" }], b: 1 };
    expect(mapTexts(value, (text) => text)).toBe(value);
    expect(mapTexts(value, (text, isExpression) => (isExpression ? `${text}!` : text))).toEqual({
      a: ["x", { $expr: "y!" }],
      b: 1,
    });
  });
});
