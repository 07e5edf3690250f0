import { beforeEach, describe, expect, it } from "vitest";
import { opened } from "~/graph/document";
import { removeNodes, updateNode } from "~/graph/edits";
import { rebased } from "~/graph/merge";
import { useEditor } from "./editor";

const editor = () => useEditor.getState();

beforeEach(() => {
  editor().open(opened({ format: 1, id: "f", nodes: [{ id: "a", type: "end", config: {} }] }));
});

describe("the editor's store", () => {
  it("undoes and redoes an edit", () => {
    editor().apply("Rename", updateNode("a", { name: "A" }));
    editor().undo();
    expect(editor().document.nodes[0]?.name).toBeUndefined();
    editor().redo();
    expect(editor().document.nodes[0]?.name).toBe("A");
  });

  it("takes the edits of one gesture as one step", () => {
    for (const name of ["N", "Na", "Nam"]) editor().apply("Rename", updateNode("a", { name }), "name-a");
    expect(editor().past).toHaveLength(1);
    editor().endGesture();
    editor().apply("Rename", updateNode("a", { name: "Name" }), "name-a");
    expect(editor().past).toHaveLength(2);
  });

  it("does not undo beyond the opened document", () => {
    editor().undo();
    expect(editor().document.nodes).toHaveLength(1);
  });

  it("keeps no selection of what is gone", () => {
    editor().select(["a"]);
    editor().apply("Delete", removeNodes(["a"]));
    expect(editor().nodes.size).toBe(0);
  });

  it("undoes what was done here and keeps what a colleague saved in between", () => {
    editor().apply("Rename", updateNode("a", { name: "Mine" }));
    const base = editor().document;
    const theirs = opened({ ...base, nodes: [...base.nodes, { id: "b", type: "end", config: {} }] });
    editor().select(["a"]);
    editor().adopt(theirs, (step) => rebased(base, step, theirs));
    expect(editor().document.nodes.map((node) => node.name ?? node.id)).toEqual(["Mine", "b"]);
    expect(editor().past.map((step) => step.label)).toEqual(["Rename"]);
    expect([...editor().nodes]).toEqual(["a"]);
    editor().undo();
    expect(editor().document.nodes.map((node) => node.name ?? node.id)).toEqual(["a", "b"]);
    editor().redo();
    expect(editor().document.nodes.map((node) => node.name ?? node.id)).toEqual(["Mine", "b"]);
  });

  it("changes nothing where the document is read only", () => {
    editor().open(editor().document, { readOnly: true });
    editor().apply("Delete", removeNodes(["a"]));
    expect(editor().document.nodes).toHaveLength(1);
  });
});
