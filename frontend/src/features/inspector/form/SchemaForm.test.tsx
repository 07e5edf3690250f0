import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Problem } from "~/api/flows";
import { type JsonObject, opened } from "~/graph/document";
import type { Schema } from "~/graph/schema";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import { useProblems } from "~/store/problems";
import NodePanel from "../node/NodePanel";

const CONFIG: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, description: "How many." },
    kind: { enum: ["small", "large"], default: "small" },
    tags: { type: "array", items: { type: "string" } },
    share: { anyOf: [{ type: "integer" }, { type: "string", pattern: "%$" }] },
    strange: { allOf: [{ type: "object" }] },
  },
};

const NODE: Schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    retry: { type: "object", properties: { max_attempts: { type: "integer", minimum: 1 } } },
  },
};

function show(config: JsonObject, more: JsonObject = {}) {
  useCatalog.setState({
    nodeTypes: [
      {
        name: "new_type",
        category: "work",
        title: "New type",
        description: "Of an app.",
        default_backend: "inline",
        is_container: false,
        ends_path: false,
        template_fields: [],
        text_fields: [],
        expression_fields: [],
        config_schema: CONFIG,
      },
    ],
    documentSchema: { $defs: { node_new_type: NODE } },
  });
  const type = "type" in more ? more.type : "new_type";
  useEditor
    .getState()
    .open(opened({ format: 1, id: "f", nodes: [{ ...more, id: "a", type: type as string, config }] }));
  render(<NodePanel flow="f" id="a" />);
}

const node = () => useEditor.getState().document.nodes[0] as unknown as JsonObject;

beforeEach(() => useEditor.getState().select(["a"]));
afterEach(cleanup);

// Typing in a simulated page is slow where a machine has much to do.
describe("the form of a type that nobody wrote a form for", { timeout: 30_000 }, () => {
  it("has a control for each kind of value, with help, and marks what is required", async () => {
    show({});
    const user = userEvent.setup({ delay: null });
    expect(screen.getByText("How many.")).toBeInTheDocument();
    const size = screen.getByLabelText(/^Size/);
    await user.type(size, "12");
    await user.click(screen.getByLabelText("Large"));
    expect(node().config).toEqual({ size: 12, kind: "large" });
    await user.click(screen.getByLabelText("Small"));
    expect(node().config).toEqual({ size: 12 });
    await user.clear(size);
    await user.type(size, "0");
    expect(screen.getByText("Write 1 or more.")).toBeInTheDocument();
  });

  it("is one undo step for each field that is typed in", async () => {
    show({});
    const user = userEvent.setup({ delay: null });
    await user.type(screen.getByLabelText(/^Size/), "12");
    await user.type(screen.getByLabelText("Name"), "Two words");
    expect(useEditor.getState().past).toHaveLength(2);
    useEditor.getState().undo();
    expect(node()).toEqual({ id: "a", type: "new_type", config: { size: 12 } });
  });

  it("adds, moves and removes items of a list by buttons", async () => {
    show({ tags: ["a", "b"] });
    const user = userEvent.setup({ delay: null });
    await user.click(screen.getByRole("button", { name: "Move tag 2 up" }));
    expect(node().config).toEqual({ tags: ["b", "a"] });
    await user.click(screen.getByRole("button", { name: "Add tag" }));
    await user.type(screen.getByRole("textbox", { name: "tag 3" }), "c");
    await user.click(screen.getByRole("button", { name: "Remove tag 1" }));
    expect(node().config).toEqual({ tags: ["a", "c"] });
  });

  it("switches between the kinds of a union, and keeps what was there", async () => {
    show({ share: 5 });
    const user = userEvent.setup({ delay: null });
    const kinds = within(screen.getByRole("group", { name: "Kind of share" }));
    await user.click(kinds.getByRole("button", { name: "Share" }));
    expect(node().config).toEqual({ share: "" });
    await user.click(kinds.getByRole("button", { name: "Number" }));
    expect(node().config).toEqual({ share: 5 });
  });

  it("shows and keeps what it does not know", async () => {
    show({ size: 1, old: { a: [1] }, strange: { b: 2 } }, { "x-team": "support", odd: true });
    const user = userEvent.setup({ delay: null });
    await user.type(screen.getByLabelText("Name"), "N");
    expect(node()).toMatchObject({
      "x-team": "support",
      odd: true,
      config: { size: 1, old: { a: [1] }, strange: { b: 2 } },
    });
    expect(screen.getByRole("textbox", { name: "old as JSON" })).toHaveValue('{\n  "a": [\n    1\n  ]\n}');
    expect(screen.getByText("Odd")).toBeInTheDocument();
  });

  it("shows the config of an unknown type as JSON; broken JSON changes nothing", async () => {
    show({ any: 1 }, { type: "gone" });
    const user = userEvent.setup({ delay: null });
    const field = screen.getByRole("textbox", { name: "Config as JSON" });
    await user.clear(field);
    await user.type(field, '{{"any": 2');
    expect(node().config).toEqual({ any: 1 });
    expect(screen.getByText(/no JSON yet/)).toBeInTheDocument();
    await user.type(field, "}");
    expect(node().config).toEqual({ any: 2 });
  });

  it("says what is wrong with a field without naming the field once more", () => {
    show({});
    const checked = useEditor.getState().document;
    const problem = { severity: "error", code: "c", path: "/nodes/0/config/size", message: "size: must be a number." };
    act(() => useProblems.setState({ checked, problems: [problem as Problem] }));
    expect(screen.getByText("Must be a number.")).toBeInTheDocument();
    act(() => useProblems.setState({ checked: null, problems: [] }));
  });

  it("renames the node with all that names it, as one step", async () => {
    show({});
    const user = userEvent.setup({ delay: null });
    useEditor.getState().apply("Add", (document) => ({ ...document, start: "a" }));
    const id = screen.getByRole("textbox", { name: "Id" });
    await user.clear(id);
    await user.type(id, "z");
    await user.tab();
    expect(useEditor.getState().document).toMatchObject({ start: "z", nodes: [{ id: "z" }] });
    expect(useEditor.getState().nodes).toEqual(new Set(["z"]));
    useEditor.getState().undo();
    expect(useEditor.getState().document).toMatchObject({ start: "a", nodes: [{ id: "a" }] });
  });
});
