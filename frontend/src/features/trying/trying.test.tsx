// Trying: what the canvas followed makes room; a try for real is what is seen, and is sent again as the same one; the focus stays.
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { opened } from "~/graph/document";
import { showsRun, useLiveRun } from "~/nodes/liveRun";
import { useCommands } from "~/store/commands";
import { useEditor } from "~/store/editor";
import { useObserved } from "~/store/observed";
import { usePins } from "~/store/pins";
import { useSaving } from "~/store/saving";
import { useTrying } from "~/store/trying";
import { TRY_COMMANDS } from "./commands";
import PinsDialog from "./PinsDialog";
import RealDialog from "./RealDialog";
import { simulate } from "./simulating";
import TryPart from "./TryPart";

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

// The simulated browser cannot type into the code editor: the plain field stands there while it is being loaded.
vi.mock("~/ui/CodeEditor", () => new Promise(() => {}));

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

it("keeps the focus where it was when a pinned output and its button go", async () => {
  const value = { shown: "1", cut: false, size: 1, covered: false };
  const at = { node: "a", node_name: "", updated_by: null, updated_at: "2026-01-01T00:00:00Z", orphaned: false };
  const pins = new Map([["a", { ...at, source: "typed" as const, run: "", value }]]);
  vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
  useEditor.getState().select(["a"]);
  for (const [part, stays] of [
    [<PinsDialog key="list" />, { name: "Close", hidden: true }],
    [<TryPart key="part" />, { name: /Try up to here/ }],
  ] as const) {
    usePins.setState({ flow: "f", pins });
    useCommands.setState({ commands: TRY_COMMANDS });
    const { unmount } = render(part);
    const unpin = screen.getByRole("button", { name: /^Unpin/, hidden: true });
    unpin.focus();
    await userEvent.click(unpin);
    await vi.waitFor(() => expect(unpin).not.toBeInTheDocument());
    expect(screen.getAllByRole("button", stays)).toContain(document.activeElement);
    unmount();
  }
});

it("names before a try for real what will be called, and what may be besides", async () => {
  const check = { node: "each", type: "tool_call", effect: "", asks: false, value: null, flow: "" };
  const calls = [
    { ...check, path: "each[0].check", label: "Check", tool: "check_it", sure: true },
    { ...check, path: "each.pay", label: "Pay", tool: "pay_it", asks: true, sure: false },
  ];
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ ...TRIED, calls }), { status: 200 }));
  render(<RealDialog flow="f" nodes={["a"]} />);
  await vi.waitFor(() => expect(screen.getByText("This will happen:")).toBeInTheDocument());
  const [sure, possible] = screen.getAllByRole("list", { hidden: true });
  expect(sure).toHaveTextContent("Check calls check_it.");
  expect(possible).toHaveTextContent("Pay calls pay_it. A person may have to approve that first");
  expect(screen.getByText(/may be called too/)).toBeInTheDocument();
});
