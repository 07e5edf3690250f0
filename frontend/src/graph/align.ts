// Lining nodes up and spreading them evenly. Places are those within the container.
import type { Position } from "./document";
import type { Box } from "./geometry";

export type Side = "left" | "centre" | "right" | "top" | "middle" | "bottom";

/** New places of nodes that line up along one side of the box around them. */
export function aligned(boxes: readonly Box[], side: Side): Map<string, Position> {
  const flat = side === "left" || side === "centre" || side === "right";
  const [start, length] = flat ? (["x", "width"] as const) : (["y", "height"] as const);
  const least = Math.min(...boxes.map((box) => box.place[start]));
  const most = Math.max(...boxes.map((box) => box.place[start] + box[length]));
  const share = side === "left" || side === "top" ? 0 : side === "right" || side === "bottom" ? 1 : 0.5;
  return new Map(
    boxes.map((box) => [box.id, { ...box.place, [start]: Math.round(least + (most - least - box[length]) * share) }]),
  );
}

/** New places with equal gaps between nodes; the outer ones stay. */
export function distributed(boxes: readonly Box[], along: "x" | "y"): Map<string, Position> {
  const length = along === "x" ? "width" : "height";
  const ordered = [...boxes].sort((a, b) => a.place[along] - b.place[along]);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) return new Map();
  const whole = last.place[along] + last[length] - first.place[along];
  const filled = ordered.reduce((sum, box) => sum + box[length], 0);
  const gap = (whole - filled) / Math.max(1, ordered.length - 1);
  let at = first.place[along];
  return new Map(
    ordered.map((box) => {
      const place = { ...box.place, [along]: Math.round(at) };
      at += box[length] + gap;
      return [box.id, place];
    }),
  );
}
