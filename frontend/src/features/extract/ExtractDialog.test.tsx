// Making a sub-flow: a draft that went on meanwhile is no reason against it, and is told by itself.
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { opened } from "~/graph/document";
import { useEditor } from "~/store/editor";
import ExtractDialog from "./ExtractDialog";

const flow = (name: string) =>
  opened({ format: 1, id: "f", name, nodes: [{ id: "a", type: "end", config: {} }], edges: [] });

// The simulated browser has no modal dialogs.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false;
};

beforeEach(() => {
  useEditor.getState().open(flow("Before"));
  useEditor.getState().select(["a"]);
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function make(answer: () => Response): Promise<void> {
  vi.stubGlobal("fetch", async () => answer());
  render(<ExtractDialog flow="f" onClose={() => {}} />);
  await userEvent.type(screen.getByLabelText("Name"), "Part");
  await userEvent.click(screen.getByRole("button", { name: "Make the sub-flow", hidden: true }));
}

it("says that the draft has changed meanwhile, where the new flow is, and changes nothing", async () => {
  const meanwhile = flow("Meanwhile");
  await make(() => {
    useEditor.setState({ document: meanwhile });
    const made = { flow: { id: "part", name: "Part" }, version: 1, document: flow("Cut"), node: "part" };
    return new Response(JSON.stringify(made), { status: 201 });
  });
  expect(await screen.findByRole("heading", { name: "The draft has changed meanwhile", hidden: true })).toBeVisible();
  expect(screen.getByRole("link", { name: "Part", hidden: true })).toHaveAttribute("href", "/flows/part/");
  expect(screen.queryByText(/cannot become a sub-flow/)).toBeNull();
  expect(useEditor.getState().document).toBe(meanwhile);
});

it("gives the server's reasons where the nodes cannot become one", async () => {
  const details = { reasons: [{ message: "It ends the run.", node: "a" }] };
  const error = { code: "validation_failed", message: "No.", details };
  await make(() => new Response(JSON.stringify(error), { status: 400 }));
  expect(await screen.findByText(/cannot become a sub-flow/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Show a", hidden: true })).toBeVisible();
});

it("tells any other failure by itself", async () => {
  await make(
    () => new Response(JSON.stringify({ code: "conflict", message: "There is a flow part." }), { status: 409 }),
  );
  expect(await screen.findByText("The sub-flow was not made. There is a flow part.")).toBeVisible();
  expect(screen.queryByText(/cannot become a sub-flow/)).toBeNull();
});
