import { beforeEach, describe, expect, it } from "vitest";
import { findNode } from "~/graph/document";
import { edgesOf, flowOf } from "~/testing/flows";
import { keyName } from "../commands";
import { useEditor } from "../editor";
import { useNotices } from "../notices";
import { addNode } from "./adding";
import { connectTo, deleteSelection, moveSelection } from "./editing";

const editor = () => useEditor.getState();
const kind = (type: string, ends = false) => ({ key: type, type, title: type, configSchema: {}, ends });

beforeEach(() => {
  editor().open(flowOf("a > b"));
});

describe("a new node", () => {
  it("goes between what is selected and what comes next, moving that on", () => {
    editor().select(["a"]);
    const id = addNode(kind("transform"), { kind: "usual" });
    expect(edgesOf(editor().document)).toEqual(["a > transform", "transform > b"]);
    expect([...editor().nodes]).toEqual([id]);
    expect(editor().document.nodes.map((node) => node.id)).toEqual(["a", "transform", "b"]);
    expect(editor().past).toHaveLength(1);
  });

  it("goes on at the end of the flow where nothing is selected, each after the one before", () => {
    addNode(kind("transform"), { kind: "usual" });
    addNode(kind("end", true), { kind: "usual" });
    expect(edgesOf(editor().document)).toEqual(["a > b", "b > transform", "transform > end"]);
    const before = editor().document.edges.length;
    addNode(kind("transform"), { kind: "usual" });
    expect(editor().document.edges).toHaveLength(before);
  });

  it("stands in the container at its point, where edges of the outside do not reach it", () => {
    editor().open(flowOf("a", "box:sequence"));
    addNode(kind("transform"), { kind: "point", point: { x: 60, y: 80 }, start: { source: "a", port: "success" } });
    expect(findNode(editor().document, "transform")?.parent).toBe("box");
    expect(edgesOf(editor().document)).toEqual([]);
  });

  it("is added to nothing that can only be looked at", () => {
    editor().open(editor().document, { readOnly: true });
    expect(addNode(kind("transform"), { kind: "usual" })).toBeNull();
  });
});

describe("acts on the canvas", () => {
  it("say how many nodes went along with a container", () => {
    editor().open(flowOf("outer:sequence", "outer/a > outer/b"), { readOnly: false });
    editor().select(["outer"]);
    deleteSelection();
    expect(editor().document.nodes).toEqual([]);
    expect(useNotices.getState().notice?.text).toBe("Deleted outer and 2 nodes inside.");
  });

  it("are one step of undo each, moves by keys one gesture", () => {
    editor().select(["b"]);
    for (let time = 0; time < 3; time += 1) moveSelection(8, 0);
    connectTo({ source: "b", port: "error" }, "a");
    deleteSelection();
    expect(editor().past.map((step) => step.label)).toEqual(["Move b", "Connect", "Delete b"]);
    for (let time = 0; time < 3; time += 1) editor().undo();
    expect(edgesOf(editor().document)).toEqual(["a > b"]);
    expect(findNode(editor().document, "b")?.layout).toBeUndefined();
  });
});

it("names keys as people press them", () => {
  const press = (key: string, held: Partial<KeyboardEvent> = {}) =>
    keyName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });
  expect(press("z", { ctrlKey: true, shiftKey: true })).toBe("Mod+Shift+Z");
  expect(press("?", { shiftKey: true })).toBe("?");
  expect(press("a")).toBe("A");
  expect(press("ArrowUp", { altKey: true, shiftKey: true })).toBe("Alt+Shift+ArrowUp");
});
