import { describe, expect, it } from "vitest";
import { opened } from "./document";
import { fieldWords, messageAt, nearest, placeOf } from "./places";
import { getAt, join, moved, setAt } from "./pointer";

const DOCUMENT = opened({
  format: 1,
  id: "f",
  nodes: [{ id: "a", type: "end", config: {} }],
  edges: [{ id: "e", source: "a", target: "b" }],
});

describe("from a problem to its field", () => {
  it.each([
    [{ path: "/nodes/0/config/value" }, { kind: "node", id: "a" }, "/config/value"],
    [{ path: "/edges/0/when", edge: "e" }, { kind: "edge", id: "e" }, "/when"],
    [{ path: "/policy/max_steps" }, { kind: "settings" }, "/policy/max_steps"],
    [{ path: "/nodes/7", node: "lost" }, { kind: "node", id: "lost" }, ""],
    [{ path: "", node: "a" }, { kind: "node", id: "a" }, ""],
    [{ path: "/nodes/7" }, { kind: "settings" }, "/nodes/7"],
  ])("%j", (problem, place, pointer) => {
    expect(placeOf(DOCUMENT, problem)).toEqual({ place, pointer });
  });

  it("finds the field itself, one inside it, else the nearest around it", () => {
    const fields = ["/name", "/config/arguments", "/config/arguments/a~1b", "/retry/max_attempts"];
    expect(nearest(fields, "/config/arguments/a~1b")).toBe("/config/arguments/a~1b");
    expect(nearest(fields, "/config/arguments/c/d")).toBe("/config/arguments");
    expect(nearest(fields, "/retry")).toBe("/retry/max_attempts");
    expect(nearest(fields, "/nowhere")).toBeNull();
  });

  it("says a field in words", () => {
    expect(fieldWords("/config/arguments/to/0")).toBe("arguments › to › 1");
  });
});

describe("pointers", () => {
  it("read and write without changing what is there", () => {
    const value = { a: [{ "b/c": 1 }, 2] };
    const at = join("/a", 0, "b/c");
    expect(getAt(value, at)).toBe(1);
    expect(setAt(value, at, 5)).toEqual({ a: [{ "b/c": 5 }, 2] });
    expect(setAt(value, at, undefined)).toEqual({ a: [{}, 2] });
    expect(setAt(value, "/a/0", undefined)).toEqual({ a: [2] });
    expect(setAt(value, "/x/y", 1)).toEqual({ ...value, x: { y: 1 } });
    expect(value).toEqual({ a: [{ "b/c": 1 }, 2] });
    expect(getAt(value, "/a/toString")).toBeUndefined();
    expect(getAt(value, "/constructor")).toBeUndefined();
  });

  it("move items, and nothing beyond the ends", () => {
    const list = [1, 2, 3];
    expect(moved(list, 0, 2)).toEqual([2, 3, 1]);
    expect(moved(list, 0, 3)).toBe(list);
  });
});

it("does not name a field twice", () => {
  expect(messageAt({ path: "/nodes/0/config/tool", message: "tool: is missing." })).toBe("Is missing.");
  expect(messageAt({ path: "/nodes/0", message: "config.tool: is missing." })).toBe("config.tool: is missing.");
  expect(messageAt({ path: "/nodes/0/name", message: "Nothing sets it." })).toBe("Nothing sets it.");
});
