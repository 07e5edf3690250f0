// Draws a flow on a bitmap: for small scales, where cards could not be read and would cost too much, and for the minimap.
import type { Box, Geometry } from "~/graph/geometry";
import type { Way } from "~/graph/route";
import type { Overlay, StepMark } from "~/nodes/overlay";

export interface Scene {
  geometry: Geometry;
  ways: ReadonlyMap<string, Way>;
  selected: ReadonlySet<string>;
  focused: string | null;
  overlay: Overlay | null;
}

export interface Transform {
  x: number;
  y: number;
  zoom: number;
}

export interface Colours {
  surface: string;
  line: string;
  edge: string;
  text: string;
  focus: string;
  states: Partial<Record<StepMark, string>>;
}

const STATES: readonly StepMark[] = ["running", "succeeded", "failed", "retrying", "approval", "paused", "waiting"];

/** The page's colours as they are now, light or dark. */
export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim() || "#888";
  return {
    surface: token("surface"),
    line: token("control"),
    edge: token("edge"),
    text: token("text"),
    focus: token("focus"),
    states: Object.fromEntries(STATES.map((state) => [state, token(state === "waiting" ? "running" : state)])),
  };
}

/** Paint what can be seen. `names`: with names where there is room for them. */
export function paint(
  canvas: HTMLCanvasElement,
  scene: Scene,
  { x, y, zoom }: Transform,
  colours: Colours,
  names: boolean,
) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
  const seen = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom };
  paintLines(context, scene, seen, colours, zoom);
  paintBoxes(context, scene, seen, colours, zoom, names);
}

interface Seen {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function paintLines(context: CanvasRenderingContext2D, scene: Scene, seen: Seen, colours: Colours, zoom: number) {
  context.lineWidth = Math.max(1.2, 0.8 / zoom);
  context.strokeStyle = colours.edge;
  context.beginPath();
  for (const way of scene.ways.values()) {
    const [first, last] = [way[0], way.at(-1)];
    if (!first || !last || Math.max(first.x, last.x) < seen.left || Math.min(first.x, last.x) > seen.right) continue;
    context.moveTo(first.x, first.y);
    for (const point of way) context.lineTo(point.x, point.y);
  }
  context.stroke();
}

function paintBoxes(
  context: CanvasRenderingContext2D,
  scene: Scene,
  seen: Seen,
  colours: Colours,
  zoom: number,
  names: boolean,
) {
  const size = Math.max(13, 9 / zoom);
  context.font = `600 ${size}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  for (const box of scene.geometry.boxes.values()) {
    if (box.hidden || isOutside(box, seen)) continue;
    const state = scene.overlay?.node(box.id)?.status;
    const colour = state ? colours.states[state] : undefined;
    paintBox(context, box, Math.max(1, 0.8 / zoom), colour, scene, colours);
    if (!names || size > box.height * 0.7) continue;
    context.fillStyle = colour && !box.frame ? colours.surface : colours.text;
    paintName(context, box, size);
  }
}

function isOutside(box: Box, seen: Seen): boolean {
  if (box.x > seen.right || box.x + box.width < seen.left) return true;
  return box.y > seen.bottom || box.y + box.height < seen.top;
}

function paintBox(
  context: CanvasRenderingContext2D,
  box: Box,
  thin: number,
  colour: string | undefined,
  scene: Scene,
  colours: Colours,
) {
  const chosen = scene.selected.has(box.id) || scene.focused === box.id;
  if (!box.frame) {
    context.fillStyle = colour ?? colours.surface;
    context.fillRect(box.x, box.y, box.width, box.height);
  }
  context.strokeStyle = chosen ? colours.focus : (colour ?? colours.line);
  context.lineWidth = chosen ? thin * 3 : thin;
  context.strokeRect(box.x, box.y, box.width, box.height);
}

function paintName(context: CanvasRenderingContext2D, box: Box, size: number) {
  const room = Math.floor((box.width - 16) / (size * 0.55));
  const name = box.node.name || box.id;
  context.fillText(name.length > room ? `${name.slice(0, room - 1)}…` : name, box.x + 8, box.y + (box.frame ? 20 : 28));
}
