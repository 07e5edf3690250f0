import { describe, expect, it, vi } from "vitest";
import { createOverlay } from "./overlay";

describe("an overlay", () => {
  it("tells once for all changes of a frame, and not for equal values", () => {
    const waiting: (() => void)[] = [];
    const overlay = createOverlay((flush) => waiting.push(flush));
    const listener = vi.fn();
    const end = overlay.subscribe(listener);
    overlay.change({ nodes: [["a", { status: "running" }]] });
    overlay.change({ nodes: [["a", { status: "succeeded" }]], edges: [["e", { count: 1 }]] });
    expect(waiting).toHaveLength(1);
    waiting.pop()?.();
    expect(listener).toHaveBeenCalledTimes(1);
    overlay.change({ nodes: [["a", { status: "succeeded" }]] });
    expect(waiting).toHaveLength(0);
    overlay.reset();
    waiting.pop()?.();
    expect(overlay.node("a")).toBeUndefined();
    end();
    overlay.change({ nodes: [["a", { status: "failed" }]] });
    waiting.pop()?.();
    expect(listener).toHaveBeenCalledTimes(2);
  });
});
