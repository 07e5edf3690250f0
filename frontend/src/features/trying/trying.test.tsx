// Trying: what the canvas followed makes room; a try for real is what is seen, and is sent again as the same one.
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { opened } from "~/graph/document";
import { showsRun, useLiveRun } from "~/nodes/liveRun";
import { useEditor } from "~/store/editor";
import { useObserved } from "~/store/observed";
import { useSaving } from "~/store/saving";
import { useTrying } from "~/store/trying";
import RealDialog from "./RealDialog";
import { simulate } from "./simulating";

const TRIED = {
  status: "succeeded",
  run: null,
  reached: true,
  told: "",
  missing: [],
  steps: [],
  calls: [],
  events: [],
};

let keys: (string | undefined)[] = [];

// The simulated browser has no modal dialogs.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false;
};

beforeEach(() => {
  keys = [];
  vi.stubGlobal("fetch", async (path: string, sent: { headers: Record<string, string> }) => {
    if (!path.endsWith("/tries/start/")) return new Response(JSON.stringify(TRIED), { status: 200 });
    keys.push(sent.headers["Idempotency-Key"]);
    throw new TypeError("no connection");
  });
  const document = opened({ format: 1, id: "f", nodes: [{ id: "a", type: "end", config: {} }], edges: [] });
  useEditor.getState().open(document);
  useSaving.setState({ flow: "f", saved: document, status: "saved" });
  useTrying.setState({ flow: "f" });
  useObserved.getState().clear();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("shows a try in place of a run that was shown", async () => {
  useLiveRun.getState().show("a test", []);
  expect(await simulate(["a"])).toBe(true);
  expect(showsRun(useLiveRun.getState())).toBe(false);
  expect(useObserved.getState().observed?.source.kind).toBe("try");
});

it("lets a try for real that did not reach the server be sent again, as the same one", async () => {
  render(<RealDialog flow="f" nodes={["a"]} />);
  const start = () => screen.getByRole("button", { name: "Try it for real", hidden: true });
  await vi.waitFor(() => expect(start()).toBeEnabled());
  await userEvent.click(start());
  await vi.waitFor(() => expect(screen.getByText(/cannot be reached/)).toBeInTheDocument());
  await userEvent.click(start());
  await vi.waitFor(() => expect(keys).toHaveLength(2));
  expect(new Set(keys).size).toBe(1);
});

it("starts nothing while the inputs that are written are none", async () => {
  render(<RealDialog flow="f" nodes={["a"]} />);
  const start = () => screen.getByRole("button", { name: "Try it for real", hidden: true });
  await vi.waitFor(() => expect(start()).toBeEnabled());
  await userEvent.type(screen.getByRole("textbox", { name: "Inputs, as JSON", hidden: true }), '{{"order": 1');
  expect(start()).toBeDisabled();
});
