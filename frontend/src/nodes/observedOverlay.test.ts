// What cards and lines show of what was observed, while the document goes on being edited.
import { describe, expect, it } from "vitest";
import type { FlowDocument } from "~/graph/document";
import { updateNode } from "~/graph/edits";
import { useEditor } from "~/store/editor";
import { useObserved } from "~/store/observed";
import { observedOf } from "~/store/observing";
import { observedOverlay } from "./observedOverlay";
import { seenWords } from "./overlay";

const document: FlowDocument = {
  format: 1,
  id: "f",
  nodes: ["a", "b", "c"].map((id) => ({ id, type: "set_variable", config: { variable: id } })),
  edges: [
    { id: "ab", source: "a", target: "b" },
    { id: "bc", source: "b", target: "c" },
  ],
};
const at = { visit: 1, visits: 1, attempt: 1, waits_for: "", error: "" };
const text = (shown: string, more: object = {}) => ({ shown, cut: false, size: shown.length, covered: false, ...more });
const seen = {
  nodes: [
    { ...at, node: "a", step: "1", path: "a", status: "succeeded", output: text("16") },
    { ...at, node: "b", step: "2", path: "b", status: "succeeded", output: text("", { covered: true, size: 9 }) },
  ],
  edges: [
    { edge: "ab", count: 2, now: true },
    { edge: "bc", count: 1, now: false },
  ],
  loops: [],
  whole: true,
  earlier: { differs: false, changed: [], absent: [] },
};

function show() {
  useEditor.getState().open(document);
  useObserved.getState().show(observedOf({ id: "r", version: { number: 1 } }, seen, { document }));
}

const words = (id: string) => {
  const overlay = observedOverlay.node(id);
  return overlay && seenWords(overlay);
};

describe("values of a run over the edited document", () => {
  it("stand at their nodes and on the edges that were taken in the visit looked at", () => {
    show();
    expect(["a", "b", "c"].map(words)).toEqual([
      "Succeeded: 16",
      "Succeeded: covered, as it may be sensitive",
      "Not reached",
    ]);
    expect(observedOverlay.edge("ab")).toEqual({ count: 2, value: { kind: "told", text: "16", cut: false, size: 2 } });
    expect(observedOverlay.edge("bc")).toEqual({ count: 1 });
  });

  it("say where the document was changed since, until it is as it was", () => {
    show();
    useEditor.getState().apply("Change", updateNode("a", { config: { variable: "other" } }));
    useEditor
      .getState()
      .apply("Add", (flow) => ({ ...flow, nodes: [...flow.nodes, { id: "d", type: "end", config: {} }] }));
    expect(["a", "d"].map(words)).toEqual(["Succeeded, changed since: 16", "Not in what ran"]);
    useEditor.getState().undo();
    useEditor.getState().undo();
    expect(words("a")).toBe("Succeeded: 16");
  });

  it("are of no edge that leads elsewhere now", () => {
    show();
    useEditor.getState().apply("Lead", (flow) => ({
      ...flow,
      edges: flow.edges.map((edge) => (edge.id === "ab" ? { ...edge, target: "c" } : edge)),
    }));
    expect(observedOverlay.edge("ab")).toBeUndefined();
  });

  it("are gone when they are put away", () => {
    show();
    useObserved.getState().clear();
    expect(words("a")).toBeUndefined();
  });
});
