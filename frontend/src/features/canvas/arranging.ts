// Commands that move nodes about: layout, lining up, containers, steps by the arrow keys.
import { alignSelection, distributeSelection, tidy } from "~/store/actions/arranging";
import { groupSelection, moveSelection, toggleCollapsed, ungroupSelection } from "~/store/actions/editing";
import type { Command } from "~/store/commands";
import { current } from "~/store/drawing";
import { askAt, editor, fixed, needs, needsContainer, one } from "~/store/guards";
import { canvasView } from "~/store/view";

const steps: [string, number, number][] = [
  ["Left", -1, 0],
  ["Right", 1, 0],
  ["Up", 0, -1],
  ["Down", 0, 1],
];
const moves: Command[] = steps.flatMap(([name, x, y]) =>
  [8, 48].map((far) => ({
    id: `move-${name.toLowerCase()}-${far}`,
    title: `Move ${name.toLowerCase()} by ${far}`,
    group: "Arrange",
    keys: [`Alt+${far === 48 ? "Shift+" : ""}Arrow${name}`],
    scope: "picture" as const,
    refusal: needs(1),
    run: () => moveSelection(x * far, y * far),
    quiet: true,
  })),
);

export const ARRANGING: Command[] = [
  {
    id: "tidy",
    title: "Tidy the whole flow",
    group: "Arrange",
    keys: ["T"],
    scope: "canvas",
    refusal: fixed,
    run: () => tidy(false),
  },
  {
    id: "tidy-selection",
    title: "Tidy the selection",
    group: "Arrange",
    keys: ["Shift+T"],
    scope: "canvas",
    refusal: needs(2),
    run: () => tidy(true),
  },
  {
    id: "collapse",
    title: "Collapse or open",
    group: "Arrange",
    keys: ["G"],
    scope: "canvas",
    refusal: needsContainer,
    run: () => {
      toggleCollapsed(one() ?? "");
      canvasView()?.focus(one());
    },
  },
  {
    id: "into",
    title: "Move into or out of a container",
    group: "Arrange",
    keys: ["M"],
    scope: "canvas",
    refusal: needs(1),
    run: () => askAt({ kind: "into" }),
  },
  {
    id: "group-sequence",
    title: "Group into a sequence",
    group: "Arrange",
    keys: ["Mod+G"],
    scope: "canvas",
    refusal: needs(1),
    run: () => groupSelection("sequence", "Sequence"),
  },
  {
    id: "group-parallel",
    title: "Group into a parallel",
    group: "Arrange",
    scope: "canvas",
    refusal: needs(1),
    run: () => groupSelection("parallel", "Parallel"),
  },
  {
    id: "group-for-each",
    title: "Group into a for each",
    group: "Arrange",
    scope: "canvas",
    refusal: needs(1),
    run: () => groupSelection("for_each", "For each"),
  },
  {
    id: "ungroup",
    title: "Ungroup",
    group: "Arrange",
    keys: ["Mod+Shift+G"],
    scope: "canvas",
    refusal: needsContainer,
    run: ungroupSelection,
  },
  ...(["left", "centre", "right", "top", "middle", "bottom"] as const).map(
    (side): Command => ({
      id: `align-${side}`,
      title: `Align ${side}`,
      group: "Arrange",
      scope: "canvas",
      refusal: needs(2),
      run: () => alignSelection(side),
    }),
  ),
  {
    id: "distribute-x",
    title: "Spread evenly across",
    group: "Arrange",
    scope: "canvas",
    refusal: needs(3),
    run: () => distributeSelection("x"),
  },
  {
    id: "distribute-y",
    title: "Spread evenly down",
    group: "Arrange",
    scope: "canvas",
    refusal: needs(3),
    run: () => distributeSelection("y"),
  },
  ...moves,
];

/** The containers that the selection could be moved into, and the top level, by their ids. */
export function targetsOfMove(): { id: string | undefined; title: string }[] {
  const { geometry } = current();
  const { nodes } = editor();
  const parents = new Set([...nodes].map((id) => geometry.boxes.get(id)?.parent));
  const containers = [...geometry.boxes.values()].filter(
    (box) => box.container && !parents.has(box.id) && !nodes.has(box.id),
  );
  const found = containers.map((box) => ({ id: box.id as string | undefined, title: box.node.name || box.id }));
  return parents.has(undefined) && parents.size === 1
    ? found
    : [{ id: undefined, title: "Out, to the top level" }, ...found];
}
