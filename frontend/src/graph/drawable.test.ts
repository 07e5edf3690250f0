import { describe, expect, it } from "vitest";
import { whyNotDrawn } from "./drawable";

const node = { id: "a", type: "transform", config: {} };

describe("whether a document can be drawn", () => {
  it.each([
    [{ nodes: "nope" }, /nodes must be a list/],
    [{ nodes: {} }, /nodes must be a list/],
    [{ nodes: [null, node] }, /nodes must be a list of objects/],
    [{ nodes: [{ id: "a" }] }, /type must be a text/],
    [{ nodes: [{ ...node, type: 7 }] }, /type must be a text/],
    [{ nodes: [{ ...node, id: {} }] }, /id must be a text/],
    [{ nodes: [{ ...node, config: 3 }] }, /config must be an object/],
    [{ nodes: [node], edges: "x" }, /edges must be a list/],
    [{ nodes: [node], edges: [{ source: "a" }] }, /target must be a text/],
    [{ inputs: [null] }, /inputs must be a list/],
    [{ name: {} }, /name must be a text/],
    [{ policy: [] }, /policy must be an object/],
    [null, /is an object/],
  ])("%j is not", (document, why) => {
    expect(whyNotDrawn(document).join(" ")).toMatch(why);
  });

  it("does not mind problems that the checks tell", () => {
    const odd = {
      format: 9,
      nodes: [{ ...node, type: "gone", "x-own": 1, retry: 5 }],
      edges: [{ source: "a", target: "nowhere" }],
    };
    expect(whyNotDrawn(odd)).toEqual([]);
    expect(whyNotDrawn({})).toEqual([]);
  });
});
