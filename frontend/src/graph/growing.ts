// Containers grow around what they hold; what stood beside them moves on, so that they never lie over it.
import type { FlowDocument, Position } from "./document";
import { moveNodes } from "./edits";
import { type Box, type Drawn, type Geometry, geometryOf, overlap } from "./geometry";

const APART = 28;

/** The document with room around the containers that an edit made larger. `before`: where everything stood. */
export function withRoom(before: Geometry, document: FlowDocument, drawn: Drawn): FlowDocument {
  let current = document;
  // The innermost first: each may make the one around it larger.
  const depths = [...new Set([...before.boxes.values()].map((box) => box.depth))].sort((a, b) => b - a);
  for (const depth of depths) {
    const now = geometryOf(current, drawn);
    for (const old of before.boxes.values()) {
      const box = now.boxes.get(old.id);
      if (!box || old.depth !== depth || !grown(old, box)) continue;
      const places = pushed(old, box, before, now);
      if (places.size) current = moveNodes(places)(current);
    }
  }
  return current;
}

function grown(old: Box, box: Box): boolean {
  return box.frame && (box.width > old.width || box.height > old.height) && !box.hidden;
}

/** New places of those beside it that it would cover: all that stood right of it, or all that stood below. */
function pushed(old: Box, box: Box, before: Geometry, now: Geometry): Map<string, Position> {
  const beside = [...now.boxes.values()].filter((one) => one.parent === box.parent && one.id !== box.id);
  const stood = beside.flatMap((one) => before.boxes.get(one.id) ?? []);
  const covers = (one: Box) => {
    const earlier = before.boxes.get(one.id);
    return earlier !== undefined && overlap(rect(box), rect(one), APART / 2) && !overlap(rect(old), rect(earlier));
  };
  const [right, bottom] = [old.place.x + old.width, old.place.y + old.height];
  const isRight = (one: Box) => one.place.x >= right - 1;
  const isBelow = (one: Box) => one.place.y >= bottom - 1 && !isRight(one);
  const covered = beside.filter(covers);
  const dx = Math.max(0, ...covered.filter(isRight).map((one) => box.place.x + box.width + APART - one.place.x));
  const dy = Math.max(0, ...covered.filter(isBelow).map((one) => box.place.y + box.height + APART - one.place.y));
  const moved = new Map<string, Position>();
  for (const one of stood) {
    const place = now.boxes.get(one.id)?.place;
    if (!place) continue;
    if (dx && isRight(one)) moved.set(one.id, { x: place.x + dx, y: place.y });
    else if (dy && isBelow(one)) moved.set(one.id, { x: place.x, y: place.y + dy });
  }
  return moved;
}

const rect = (box: Box) => ({ ...box.place, width: box.width, height: box.height });
