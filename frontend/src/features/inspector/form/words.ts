// Small texts of fields: placeholders and units.
import type { Json } from "~/graph/document";
import type { Schema } from "~/graph/schema";

/** The default, as a field shows it while it is empty. */
export function placeholderOf(schema: Schema): string | undefined {
  const usual = schema.default;
  if (usual === undefined || usual === null || usual === "") return undefined;
  return typeof usual === "string" ? usual : JSON.stringify(usual);
}

const UNITS: [number, string][] = [
  [86_400_000, "days"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** Milliseconds in a unit that says more: `= 5 min`. */
export function unitOf(pointer: string, value: Json | undefined): string | undefined {
  if (!pointer.endsWith("_ms")) return undefined;
  if (typeof value !== "number" || value < 1_000) return "ms";
  const [size, word] = UNITS.find(([ms]) => value >= ms) ?? [1_000, "s"];
  return `ms = ${Number((value / size).toFixed(2))} ${word}`;
}
