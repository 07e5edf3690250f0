// A flow's declared inputs as a JSON Schema, for forms of those who start it.
import type { Input } from "./document";
import type { Schema } from "./schema";

const TYPES: Record<Input["type"], Schema> = {
  short_text: { type: "string" },
  long_text: { type: "string", maxLength: 100_000 },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  choice: { type: "string" },
  date: { type: "string", format: "date" },
  object: { type: "object", additionalProperties: true },
  list: { type: "array", items: {} },
};

export function inputsSchema(inputs: readonly Input[]): Schema {
  return {
    type: "object",
    additionalProperties: false,
    required: inputs.filter((one) => one.required).map((one) => one.name),
    properties: Object.fromEntries(
      inputs.map((one) => [
        one.name,
        {
          ...TYPES[one.type],
          ...(one.type === "choice" && one.options ? { enum: one.options } : {}),
          ...(one.description ? { description: one.description } : {}),
          ...(one.default === undefined ? {} : { default: one.default }),
        },
      ]),
    ),
  };
}
