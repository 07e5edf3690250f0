import { describe, expect, it } from "vitest";
import { addRow, changeRow, isTabular, moveRow, removeRow, rowsOf } from "./schemaTable";

const SCHEMA = {
  type: "object",
  "x-own": 1,
  properties: {
    a: { type: "string", minLength: 2, "x-sensitive": true, description: "A." },
    b: { anyOf: [{ type: "string" }, { type: "null" }] },
    c: { type: "string", enum: ["x", "y"] },
  },
  required: ["a"],
  additionalProperties: false,
};

describe("a schema as a table", () => {
  it("has a row for each property", () => {
    expect(rowsOf(SCHEMA).map((row) => [row.name, row.type, row.required])).toEqual([
      ["a", "string", true],
      ["b", "other", false],
      ["c", "choice", false],
    ]);
  });

  it("loses nothing that it does not show", () => {
    const next = changeRow(SCHEMA, "a", { description: "Mine.", required: false });
    expect(next).toEqual({
      type: "object",
      "x-own": 1,
      properties: { ...SCHEMA.properties, a: { ...SCHEMA.properties.a, description: "Mine." } },
      additionalProperties: false,
    });
    expect(changeRow(next, "a", { description: "A.", required: true })).toEqual(SCHEMA);
  });

  it("marks a key as sensitive", () => {
    expect(rowsOf(SCHEMA).map((row) => row.sensitive)).toEqual([true, false, false]);
    const next = changeRow(changeRow(SCHEMA, "c", { sensitive: true }), "a", { sensitive: false });
    expect(rowsOf(next).map((row) => row.sensitive)).toEqual([false, false, true]);
  });

  it("renames in place, with what is required", () => {
    const next = changeRow(SCHEMA, "a", { name: "z" });
    expect(Object.keys(next.properties as object)).toEqual(["z", "b", "c"]);
    expect(next.required).toEqual(["z"]);
    expect(changeRow(SCHEMA, "a", { name: "b" })).toBe(SCHEMA);
    expect(changeRow(SCHEMA, "a", { name: "" })).toBe(SCHEMA);
  });

  it("drops only words about the old type", () => {
    const next = changeRow(SCHEMA, "a", { type: "integer" });
    expect((next.properties as { a: object }).a).toEqual({ type: "integer", "x-sensitive": true, description: "A." });
  });

  it("adds, moves and removes rows", () => {
    expect(addRow(undefined)).toEqual({ type: "object", properties: { field_1: { type: "string" } } });
    expect(Object.keys(moveRow(SCHEMA, 0, 2).properties as object)).toEqual(["b", "c", "a"]);
    expect(removeRow(SCHEMA, "a")).not.toHaveProperty("required");
  });

  it("leaves to JSON what is no object of properties", () => {
    expect(isTabular(undefined)).toBe(true);
    expect(
      [{ type: "string" }, { oneOf: [] }, [], "x", { properties: [] }].map((one) => isTabular(one as never)),
    ).toEqual([false, false, false, false, false]);
  });
});
