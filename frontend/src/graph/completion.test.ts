import { describe, expect, it } from "vitest";
import { insidePlaceholder, pathAt, placeholderSuggestionsAt, suggestionsAt } from "./completion";

const name = (path: string, type: string, schema: object = {}, certain = true) => ({
  name: path,
  kind: path.startsWith("steps.") ? "step" : "state",
  type,
  certain,
  schema: schema as { [key: string]: never },
  description: "",
});

const NAMES = [
  name("order", "object", {
    type: "object",
    properties: {
      total: { type: "number" },
      lines: { type: "array", items: { type: "object", properties: { sku: {} } } },
      "odd key": {},
    },
  }),
  name("topic", "text", { type: "string" }, false),
  name("steps.fetch.output", "object", { type: "object", properties: { id: { type: "integer" } } }),
];

function labels(text: string, functions: string[] = []): string[] {
  return suggestionsAt(text, text.length, NAMES, functions).options.map((one) => one.label);
}

describe("completion", () => {
  it("offers names, whole paths of steps, constants and functions", () => {
    const found = suggestionsAt("a + to", 6, NAMES, ["round(x, n?)", ".trim()"]);
    expect(found.from).toBe(4);
    const offered = found.options.map((one) => one.label);
    expect(offered).toEqual(expect.arrayContaining(["order", "topic", "steps", "steps.fetch.output", "true", "round"]));
    expect(offered).not.toContain("trim");
    expect(found.options.find((one) => one.label === "topic")?.detail).toBe("text, may be unset");
  });

  it("offers what a value is known to hold", () => {
    expect(labels("order.")).toEqual(["total", "lines"]);
    expect(labels("order.lines[0].")).toEqual(["sku"]);
    expect(labels("order.lines.")).toEqual(["length"]);
    expect(labels("steps.")).toEqual(["fetch"]);
    expect(labels("steps.fetch.")).toEqual(["output"]);
    expect(labels("1 + steps.fetch.output.i")).toEqual(["id"]);
    expect(labels("unknown.")).toEqual([]);
    expect(labels("topic.", [".trim()", "round(x)"])).toEqual(["length", "trim"]);
  });

  it("closes the placeholder of a text, where it is open", () => {
    const applied = (text: string, position: number) =>
      placeholderSuggestionsAt(text, position, NAMES).options.find((one) => one.label === "topic")?.apply;
    expect(applied("to {{to", 7)).toBe("topic}}");
    expect(applied("to {{to}} x", 7)).toBeUndefined();
    expect(placeholderSuggestionsAt("{{", 2, NAMES).options.map((one) => one.label)).not.toContain("true");
  });

  it("knows paths and placeholders", () => {
    expect(pathAt("a.b['c'].d", 10)).toEqual({ from: 9, keys: ["a", "b", "c"], word: "d" });
    expect(pathAt("limit * 2", 9)).toEqual({ from: 9, keys: [], word: "" });
    expect(pathAt("1.", 2)).toEqual({ from: 2, keys: [], word: "" });
    expect(insidePlaceholder("x {{a", 5)).toBe(true);
    expect(insidePlaceholder("x {{a}} b", 9)).toBe(false);
  });
});
