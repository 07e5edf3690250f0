import { describe, expect, it } from "vitest";
import { blankOf, inWords, plain, shapeOf, titleOf, unknownKeys, variantOf, variantsOf, variantTitle } from "./schema";

const EXPRESSION = { type: "object", propertyNames: { const: "$expr" }, additionalProperties: { type: "string" } };

describe("shapes", () => {
  it.each([
    [{ type: "string" }, { kind: "text", long: false }],
    [
      { type: "integer", minimum: 1, maximum: 9 },
      { kind: "number", whole: true, least: 1, most: 9 },
    ],
    [
      { anyOf: [{ type: "integer" }, { type: "number" }], ge: 0, le: 2 },
      { kind: "number", whole: false, least: 0, most: 2 },
    ],
    [{ enum: ["a", "b"] }, { kind: "choice", options: ["a", "b"] }],
    [
      { type: "array", items: { type: "string" } },
      { kind: "list", items: { type: "string" } },
    ],
    [{ description: "Anything." }, { kind: "any" }],
    [true, { kind: "any" }],
    [{ type: "object", patternProperties: { "^a": {} } }, { kind: "json" }],
    [{ allOf: [{ type: "string" }] }, { kind: "json" }],
    [{ not: {} }, { kind: "json" }],
  ])("%j", (schema, shape) => {
    expect(shapeOf(schema)).toEqual(shape);
  });

  it("does not take the way to write an expression for a kind of value", () => {
    const schema = { anyOf: [{ type: "string" }, EXPRESSION], title: "Prompt" };
    expect(shapeOf(schema)).toEqual({ kind: "text", long: false });
    expect(plain(schema, {}).title).toBe("Prompt");
    const union = shapeOf({ anyOf: [{ type: "integer" }, { type: "string" }, EXPRESSION] });
    expect(variantsOf(union).map((one) => variantTitle(one))).toEqual(["Number", "Text"]);
  });

  it("follows references, also in circles", () => {
    const defs = { Retry: { type: "object", properties: { on: {} } }, Loop: { $ref: "#/$defs/Loop" } };
    expect(shapeOf({ anyOf: [{ $ref: "#/$defs/Retry" }] }, defs).kind).toBe("object");
    expect(shapeOf({ $ref: "#/$defs/Loop" }, defs).kind).toBe("json");
    expect(shapeOf({ $ref: "#/$defs/Nowhere" }, defs).kind).toBe("json");
  });

  it("keeps objects open only where their schema does", () => {
    const closed = shapeOf({
      type: "object",
      properties: { a: {} },
      additionalProperties: false,
      patternProperties: { "^x-": {} },
    });
    expect(closed).toMatchObject({ kind: "object", others: null });
    const open = shapeOf({ type: "object", additionalProperties: { type: "string" } });
    expect(open).toMatchObject({ kind: "object", others: { type: "string" } });
    if (closed.kind === "object") expect(unknownKeys({ a: 1, b: 2, "x-c": 3 }, closed)).toEqual(["b", "x-c"]);
  });
});

describe("values", () => {
  it("finds the kind that a value is of", () => {
    const share = { pattern: "^[0-9]+%$", type: "string" };
    const variants = [{ type: "integer" }, share];
    expect(variantOf(variants, 3)).toBe(0);
    expect(variantOf(variants, "10%")).toBe(1);
    expect(variantOf(variants, "half")).toBe(1);
    expect(variantOf(variants, null)).toBe(-1);
    const any = variantsOf({ kind: "any" });
    expect([1, "a", true, [], {}, null].map((value) => variantOf(any, value))).toEqual([1, 0, 2, 3, 4, 5]);
  });

  it("begins with the default, else with the least that fits", () => {
    expect(blankOf({ type: "integer", default: 5 })).toBe(5);
    expect(blankOf({ type: "integer", minimum: 1 })).toBe(1);
    expect(blankOf({ type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] })).toEqual({
      a: "",
    });
    expect(blankOf({ enum: ["ask", "deny"] })).toBe("ask");
  });
});

describe("titles", () => {
  it("are words of the key, unless the schema says more", () => {
    expect(titleOf("output_schema", { title: "Output Schema" })).toBe("Output schema");
    expect(titleOf("max_cost_usd", { title: "Max Cost Usd" })).toBe("Max cost (US dollars)");
    expect(titleOf("to", { title: "Recipient" })).toBe("Recipient");
    expect(inWords("timeout_ms")).toBe("Timeout (ms)");
    expect(inWords("maxItems")).toBe("Max items");
  });
});
