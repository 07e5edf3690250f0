// JSON pointers (RFC 6901) into documents and their parts: read, set and remove without changing anything in place.
import type { Json, JsonObject } from "./document";

export function parts(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function join(pointer: string, ...keys: (string | number)[]): string {
  const written = keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return pointer + written.join("");
}

/** The value at a place, or undefined where there is none. */
export function getAt(value: unknown, pointer: string): Json | undefined {
  let here = value;
  for (const key of parts(pointer)) {
    if (Array.isArray(here)) here = here[Number(key)];
    else if (isObject(here) && Object.hasOwn(here, key)) here = here[key];
    else return undefined;
  }
  return here as Json | undefined;
}

/** A copy with another value at a place; undefined takes the key or item away. Objects on the way are made. */
export function setAt<T>(value: T, pointer: string, next: Json | undefined): T {
  return placed(value, parts(pointer), next) as T;
}

function placed(value: unknown, [key, ...rest]: string[], next: Json | undefined): unknown {
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    const index = key === "-" ? value.length : Number(key);
    const inner = placed(value[index], rest, next);
    if (inner === undefined) return value.filter((_, place) => place !== index);
    return index >= value.length ? [...value, inner] : value.map((item, place) => (place === index ? inner : item));
  }
  const object = isObject(value) ? value : {};
  const inner = placed(Object.hasOwn(object, key) ? object[key] : undefined, rest, next);
  if (inner !== undefined) return { ...object, [key]: inner };
  const { [key]: _, ...others } = object;
  return others;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of a list with one item elsewhere; places beyond the ends change nothing. */
export function moved<Item>(list: readonly Item[], from: number, to: number): readonly Item[] {
  if (from === to || from < 0 || to < 0 || from >= list.length || to >= list.length) return list;
  const rest = list.filter((_, place) => place !== from);
  rest.splice(to, 0, list[from] as Item);
  return rest;
}

/** A copy of an object with a key called otherwise, in its place among the others. */
export function renamedKey(object: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}
