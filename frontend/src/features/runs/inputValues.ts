// What was typed into a start form as the values of a run's inputs, and back. The server has the last word.
import type { Input, Json } from "~/graph/document";

export type Typed = { [name: string]: string | boolean };

/** The form's first contents: what was started with last, else the defaults. */
export function initialTyped(inputs: readonly Input[], last: { [name: string]: Json }): Typed {
  return Object.fromEntries(
    inputs.map((input) => {
      const value = input.name in last ? last[input.name] : (input.default as Json | undefined);
      if (input.type === "boolean") return [input.name, value === true];
      if (value === undefined || value === null) return [input.name, ""];
      return [input.name, typeof value === "string" ? value : JSON.stringify(value, null, 2)];
    }),
  );
}

export interface ReadInputs {
  values: { [name: string]: Json };
  /** By name of the input, a sentence. */
  problems: { [name: string]: string };
}

/** Read the form. An empty field is not sent, so that its default holds. */
export function readTyped(inputs: readonly Input[], typed: Typed): ReadInputs {
  const values: { [name: string]: Json } = {};
  const problems: { [name: string]: string } = {};
  for (const input of inputs) {
    const given = typed[input.name];
    if (typeof given === "boolean") values[input.name] = given;
    else if (given === undefined || given.trim() === "") {
      if (input.required && input.default === undefined) problems[input.name] = "This is needed.";
    } else {
      const read = readOne(input, given);
      if ("problem" in read) problems[input.name] = read.problem;
      else values[input.name] = read.value;
    }
  }
  return { values, problems };
}

function readOne(input: Input, text: string): { value: Json } | { problem: string } {
  switch (input.type) {
    case "number":
    case "integer": {
      const number = Number(text);
      if (!Number.isFinite(number)) return { problem: "Type a number, such as 12.5." };
      if (input.type === "integer" && !Number.isInteger(number)) return { problem: "Type a whole number." };
      return { value: number };
    }
    case "object":
    case "list":
      return readJson(text, input.type);
    default:
      return { value: text };
  }
}

function readJson(text: string, type: "object" | "list"): { value: Json } | { problem: string } {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const fits =
    type === "list" ? Array.isArray(value) : typeof value === "object" && value !== null && !Array.isArray(value);
  return fits
    ? { value }
    : { problem: type === "list" ? 'Type a list, such as ["a", "b"].' : 'Type an object, such as {"a": 1}.' };
}
