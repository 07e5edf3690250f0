// The rows of the outline, and moving nodes among them.
import { describe, expect, it } from "vitest";
import { edgesOf, flowOf } from "~/testing/flows";
import { outlineOf } from "./outline";
import { reordering } from "./reordering";

const shown = (document: ReturnType<typeof flowOf>, ...folded: string[]) =>
  outlineOf(document, new Set(folded)).rows.map((row) => {
    const text = row.kind === "node" ? row.id : `${row.when} > ${row.target}`;
    return `${"  ".repeat(row.level - 1)}${text} ${row.place}/${row.of}`;
  });

describe("outlineOf", () => {
  it("tells the edges that the order of the rows does not tell", () => {
    const document = flowOf("a > b > c", "b error> d");
    expect(shown(document)).toEqual(["a 1/4", "b 2/4", "  Then > c 1/2", "  On error > d 2/2", "c 3/4", "d 4/4"]);
    expect(shown(document, "b")).toEqual(["a 1/4", "b 2/4", "c 3/4", "d 4/4"]);
  });

  it("puts what a container holds below it, and conditions in words", () => {
    const document = flowOf("box:sequence > z", "box/x > box/y");
    expect(shown(document)).toEqual(["box 1/2", "  x 1/2", "  y 2/2", "z 2/2"]);
    const asked = flowOf("a > b", "a > c");
    asked.edges = asked.edges.map((edge, index) => (index ? edge : { ...edge, when: "n > 1" }));
    expect(shown(asked).filter((line) => line.includes(">"))).toEqual(["  If n > 1 > b 1/2", "  Else > c 2/2"]);
  });

  it("shows nodes that hold one another, and loses none", () => {
    const document = flowOf("a:sequence", "b:sequence");
    document.nodes = document.nodes.map((node) => ({ ...node, parent: node.id === "a" ? "b" : "a" }));
    expect(outlineOf(document).order.sort()).toEqual(["a", "b"]);
  });
});

describe("reordering", () => {
  const moved = (document: ReturnType<typeof flowOf>, id: string, by: 1 | -1) => {
    const found = reordering(document, id, by);
    return "refusal" in found ? found.refusal : edgesOf(found.edit(document));
  };

  it("changes places along the edges, other outcomes staying with their node", () => {
    const document = flowOf("a > b > c > d", "c error> e");
    expect(moved(document, "c", -1)).toEqual(["a > c", "c > b", "b > d", "c error> e"]);
    expect(moved(flowOf("a > b"), "a", 1)).toEqual(["b > a"]);
  });

  it("changes places in the order of declaration where no edge leads from one to the other", () => {
    const document = flowOf("box:parallel", "box/x", "box/y");
    const found = reordering(document, "y", -1);
    expect("edit" in found && found.edit(document).nodes.map((node) => node.id)).toEqual(["box", "y", "x"]);
  });

  it("says why where it is not certain what is meant", () => {
    expect(moved(flowOf("a > b", "a > c"), "a", 1)).toMatch(/leads to several places/);
    expect(moved(flowOf("a > c", "b > c"), "c", -1)).toMatch(/Several paths meet in c/);
    expect(moved(flowOf("a > z:return"), "a", 1)).toMatch(/z ends its path/);
    expect(moved(flowOf("a > b"), "a", -1)).toBe("It is the first one here.");
  });
});
