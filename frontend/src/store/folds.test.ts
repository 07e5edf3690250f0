// Large flows begin folded, as a matter of looking: what is looked for opens, and the document stays as it is.
import { beforeEach, expect, it } from "vitest";
import type { FlowDocument } from "~/graph/document";
import { flowOf } from "~/testing/flows";
import { toggleCollapsed } from "./actions/editing";
import { current } from "./drawing";
import { useEditor } from "./editor";
import { useFolds } from "./folds";

const large: FlowDocument = flowOf(
  "outer:sequence",
  "outer/inner:sequence",
  ...Array.from({ length: 220 }, (_, index) => `inner/n${index}`),
);

function open(document: FlowDocument, readOnly = false) {
  useFolds.setState({ flow: null });
  useEditor.getState().open(document, { readOnly });
  useFolds.getState().begin(document);
}

const hidden = (id: string) => current().geometry.boxes.get(id)?.hidden;

beforeEach(() => open(large));

it("begins folded, and opens around what is looked for", () => {
  expect([hidden("outer"), hidden("inner"), hidden("n7")]).toEqual([false, true, true]);
  expect(useFolds.getState().openAround(large, ["n7"])).toBe(true);
  expect(hidden("n7")).toBe(false);
  expect(useFolds.getState().openAround(large, ["n7"])).toBe(false);
});

it("is opened and folded again without an edit", () => {
  toggleCollapsed("outer");
  expect(hidden("inner")).toBe(false);
  toggleCollapsed("outer");
  expect(hidden("inner")).toBe(true);
  expect(useEditor.getState().document).toBe(large);
  expect(useEditor.getState().past).toEqual([]);
});

it("leaves what the document says, and folds that by an edit", () => {
  const said = { ...large, nodes: large.nodes.map((node) => ({ ...node, layout: { x: 0, y: 0, collapsed: false } })) };
  open(said);
  expect(hidden("n7")).toBe(false);
  toggleCollapsed("outer");
  expect(useEditor.getState().past.map((one) => one.label)).toEqual(["Collapse outer"]);
});

it("is folded for who may only look, too", () => {
  open(flowOf("box:sequence", "box/a"), true);
  toggleCollapsed("box");
  expect(hidden("a")).toBe(true);
  expect(useEditor.getState().past).toEqual([]);
});
