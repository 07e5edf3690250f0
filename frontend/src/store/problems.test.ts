import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Problem } from "~/api/flows";
import { opened } from "~/graph/document";
import { updateNode } from "~/graph/edits";
import { useEditor } from "./editor";
import { tally, useProblems, watchProblems } from "./problems";

const problem = (node: string, severity: Problem["severity"] = "error"): Problem => ({
  code: "x",
  severity,
  path: "",
  message: "m",
  node,
});

beforeEach(() => {
  vi.useFakeTimers();
  useEditor.getState().open(opened({ format: 1, id: "f", nodes: [{ id: "a", type: "end", config: {} }] }));
});

function answerWith(problems: Problem[]) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (_: string, sent: { body: string; signal: AbortSignal }) => {
    asked.push(JSON.parse(sent.body).document.nodes[0].name ?? "");
    return new Promise((resolve, reject) => {
      sent.signal.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
      setTimeout(() => resolve(new Response(JSON.stringify({ valid: false, problems }))), 50);
    });
  });
  return asked;
}

describe("checks", () => {
  it("are asked at once, and 300 ms after the last change; stale ones are given up", async () => {
    const asked = answerWith([problem("a"), problem("a", "warning")]);
    const stop = watchProblems("f");
    await vi.advanceTimersByTimeAsync(60);
    expect(useProblems.getState()).toMatchObject({ status: "current", total: { errors: 1, warnings: 1 } });
    for (const name of ["A", "B", "C"]) {
      useEditor.getState().apply("Rename", updateNode("a", { name }));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked).toEqual([""]);
    expect(useProblems.getState().status).toBe("checking");
    await vi.advanceTimersByTimeAsync(210);
    useEditor.getState().apply("Rename", updateNode("a", { name: "D" }));
    await vi.advanceTimersByTimeAsync(400);
    expect(asked).toEqual(["", "C", "D"]);
    expect(useProblems.getState().checked?.nodes[0]?.name).toBe("D");
    stop();
    useEditor.getState().apply("Rename", updateNode("a", { name: "E" }));
    await vi.advanceTimersByTimeAsync(400);
    expect(asked).toHaveLength(3);
  });

  it("say when the server cannot be reached, and ask again", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError()));
    const stop = watchProblems("f");
    await vi.advanceTimersByTimeAsync(10);
    expect(useProblems.getState().status).toBe("failed");
    answerWith([problem("a")]);
    await vi.advanceTimersByTimeAsync(5_100);
    expect(useProblems.getState().status).toBe("current");
    stop();
  });

  it("keep the counts of what stayed the same", () => {
    const before = tally([problem("a"), problem("b")], "node", new Map());
    const next = tally([problem("a"), problem("b"), problem("b")], "node", before);
    expect(next.get("a")).toBe(before.get("a"));
    expect(next.get("b")).toEqual({ errors: 2, warnings: 0 });
  });
});
