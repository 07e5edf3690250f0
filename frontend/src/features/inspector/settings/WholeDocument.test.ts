import { describe, expect, it } from "vitest";
import { readText } from "./WholeDocument";

describe("a document as text", () => {
  it("is taken as it is, with problems and keys that nobody knows", () => {
    const text =
      '{"format": 1, "id": "f", "x-own": 1, "odd": 2, "nodes": [{"id": "a", "type": "gone"}], "edges": [{"source": "a", "target": "b"}]}';
    const read = readText(text);
    expect(read).toMatchObject({ document: { "x-own": 1, odd: 2, nodes: [{ id: "a", type: "gone" }] } });
    expect("document" in read && read.document.edges[0]?.id).toBe("e1");
  });

  it.each([
    ["{", /no JSON/],
    ["[]", /is an object/],
    ['{"nodes": {}}', /nodes must be a list/],
    ['{"edges": [1]}', /edges must be a list/],
    ['{"nodes": [{"id": 3, "type": "end"}]}', /id must be a text/],
  ])("%s is none that can be drawn", (text, why) => {
    const read = readText(text);
    expect("fault" in read && read.fault).toMatch(why);
  });
});
