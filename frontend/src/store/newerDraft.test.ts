// @vitest-environment jsdom
// A newer draft of somebody else: taken up, offered, or shown beside what is unsaved.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Draft } from "~/api/flows";
import { opened } from "~/graph/document";
import { updateNode } from "~/graph/edits";
import { useEditor } from "./editor";
import { followNewerDraft, useNewerDraft } from "./newerDraft";
import { useSaving } from "./saving";

const node = (id: string, name: string) => ({ id, name, type: "end", config: {} });
const draft = (revision: number, name: string): Draft => ({
  flow: "f",
  revision,
  document: { format: 1, id: "f", nodes: [node("a", name)] },
  updated_by: "ann",
  updated_at: "2026-01-01T00:00:00Z",
});

let onServer = draft(1, "One");
let end = () => {};
const shown = () => useEditor.getState().document.nodes[0]?.name;
const hear = (revision: number) => useNewerDraft.getState().heard(revision, "ann");

beforeEach(() => {
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(onServer), { status: 200 }));
  const document = opened(draft(1, "One").document);
  useEditor.getState().open(document);
  useSaving.setState({ flow: "f", person: "ben", saved: document, revision: 1, status: "saved", conflict: null });
  end = followNewerDraft();
});

afterEach(() => {
  end();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

describe("a newer draft", () => {
  it("is taken up by itself where nothing is unsaved and nobody is amid something", async () => {
    onServer = draft(2, "Two");
    hear(2);
    await vi.waitFor(() => expect(shown()).toBe("Two"));
    expect(useSaving.getState()).toMatchObject({ revision: 2, status: "saved", conflict: null });
    expect(useNewerDraft.getState()).toMatchObject({ newer: null, takenFrom: { by: "ann" } });
  });

  it("is no news where it is known already", () => {
    hear(1);
    expect(useNewerDraft.getState().newer).toBeNull();
  });

  it("is offered to somebody who writes, and taken up on one click", async () => {
    const field = document.createElement("input");
    document.body.append(field);
    field.focus();
    onServer = draft(2, "Two");
    hear(2);
    expect(useNewerDraft.getState().newer).toEqual({ revision: 2, by: "ann" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(shown()).toBe("One");
    await useNewerDraft.getState().take();
    expect(shown()).toBe("Two");
  });

  it("is offered to somebody who writes in a field of code", async () => {
    const host = document.createElement("div");
    host.className = "code-host";
    host.attachShadow({ mode: "open" }).append(document.createElement("textarea"));
    document.body.append(host);
    host.shadowRoot?.querySelector("textarea")?.focus();
    expect(document.activeElement).toBe(host);
    onServer = draft(2, "Two");
    hear(2);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(shown()).toBe("One");
  });

  it("is not forgotten for the one before it, which was being read when it was heard of", async () => {
    let answer = (_: Response) => {};
    vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => (answer = resolve)));
    hear(2);
    const taking = useNewerDraft.getState().take();
    hear(3);
    answer(new Response(JSON.stringify(draft(2, "Two")), { status: 200 }));
    await taking;
    expect(shown()).toBe("Two");
    expect(useNewerDraft.getState().newer).toEqual({ revision: 3, by: "ann" });
    vi.stubGlobal("fetch", async () => new Response(JSON.stringify(draft(3, "Three")), { status: 200 }));
    await vi.waitFor(() => expect(shown()).toBe("Three"), { timeout: 3_000 });
  });

  it("is taken up once the pointer that held something is let go", async () => {
    window.dispatchEvent(new Event("pointerdown"));
    onServer = draft(2, "Two");
    hear(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(shown()).toBe("One");
    window.dispatchEvent(new Event("pointerup"));
    await vi.waitFor(() => expect(shown()).toBe("Two"), { timeout: 3_000 });
  });

  it("is shown beside what is unsaved, before saving fails", async () => {
    useEditor.getState().apply("Rename", updateNode("a", { name: "Mine" }));
    onServer = draft(2, "Two");
    hear(2);
    await vi.waitFor(() => expect(useSaving.getState().status).toBe("conflict"), { timeout: 3_000 });
    expect(useSaving.getState().conflict).toMatchObject({ revision: 2, updatedBy: "ann" });
    expect(useNewerDraft.getState()).toMatchObject({ newer: null, takenFrom: null });
    expect(shown()).toBe("Mine");
  });

  it("waits while something is being saved", async () => {
    useSaving.setState({ status: "saving" });
    onServer = draft(2, "One");
    hear(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(useSaving.getState().conflict).toBeNull();
    // It was this page's own saving.
    useSaving.setState({ status: "saved", revision: 2 });
    expect(useNewerDraft.getState().newer).toBeNull();
  });
});
