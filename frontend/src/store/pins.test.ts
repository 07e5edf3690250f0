// Pinned outputs while ids of nodes change: they go along, and back.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PinSummary } from "~/api/trying";
import { opened } from "~/graph/document";
import { renameNode } from "~/graph/rename";
import { useEditor } from "./editor";
import { followPins, usePins } from "./pins";
import { useSaving } from "./saving";

const pinned = (node: string) => ({ node, node_name: "A", source: "typed", run: "" }) as PinSummary;

let onServer = "a";
let refusal: string | null = null;
let end = () => {};

beforeEach(() => {
  onServer = "a";
  refusal = null;
  const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
  vi.stubGlobal("fetch", async (path: string, { method, body }: { method: string; body?: string }) => {
    if (method === "GET") return answer({ items: [pinned(onServer)] });
    if (refusal) return answer({ error: { code: "not_found", message: refusal } }, 404);
    const { from_node: from } = JSON.parse(body ?? "{}");
    if (from === onServer) onServer = path.split("/").at(-2) ?? "";
    return answer(pinned(onServer));
  });
  const document = opened({ format: 1, id: "f", nodes: [{ id: "a", type: "end", config: {} }], edges: [] });
  useEditor.getState().open(document);
  useSaving.setState({ flow: "f", saved: document, status: "saved", flush: async () => true });
  usePins.setState({ flow: "" });
  end = followPins("f");
});

afterEach(() => {
  end();
  vi.unstubAllGlobals();
});

function rename(from: string, to: string) {
  usePins.getState().renamed(from, to);
  useEditor.getState().apply(
    "Rename",
    renameNode(from, to, () => []),
  );
}

const isAt = (node: string) =>
  vi.waitFor(() => expect([onServer, [...usePins.getState().pins.keys()]]).toEqual([node, [node]]));

it("go with a node to its new id, and back with undo, over several steps too", async () => {
  await isAt("a");
  rename("a", "b");
  await isAt("b");
  rename("b", "c");
  await isAt("c");
  useEditor.getState().undo();
  useEditor.getState().undo();
  await isAt("a");
  useEditor.getState().redo();
  await isAt("b");
});

it("stay where they are if that is refused, and it is said once", async () => {
  await isAt("a");
  refusal = "No.";
  rename("a", "b");
  await vi.waitFor(() => expect(usePins.getState().pins.has("a")).toBe(true));
  useEditor.getState().undo();
  refusal = null;
  await isAt("a");
});

it("are not taken along to a node that was given the old id", async () => {
  await isAt("a");
  rename("a", "b");
  await isAt("b");
  const { apply } = useEditor.getState();
  apply("Add", (flow) => ({ ...flow, nodes: [...flow.nodes, { id: "a", type: "end", config: {} }] }));
  apply("Delete", (flow) => ({ ...flow, nodes: flow.nodes.filter((node) => node.id !== "b") }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await isAt("b");
});
