// What can be done with problems: go to one, to the next, to the one before. Menus and keys share these.
import type { Problem } from "~/api/flows";
import { placeOf } from "~/graph/places";
import type { Command } from "~/store/commands";
import { useEditor } from "~/store/editor";
import { usePanels } from "~/store/panels";
import { useProblems } from "~/store/problems";
import { canvasView } from "~/store/view";

let current = -1;

/** Show where a problem is: its node on the canvas, its field in the inspector. */
export function goTo(problem: Problem) {
  const { checked, problems } = useProblems.getState();
  current = problems.indexOf(problem);
  const { place, pointer } = placeOf(checked ?? useEditor.getState().document, problem);
  if (place.kind === "node") canvasView()?.reveal([place.id]);
  usePanels.getState().openInspector(place, pointer);
}

/** The next problem in the list, or the one before; after the last comes the first. */
export function step(by: 1 | -1) {
  const { problems } = useProblems.getState();
  if (!problems.length) return;
  const next = current < 0 ? (by > 0 ? 0 : problems.length - 1) : (current + by + problems.length) % problems.length;
  const problem = problems[next];
  if (problem) goTo(problem);
}

export const PROBLEM_COMMANDS: readonly Command[] = [
  {
    id: "next-problem",
    title: "Next problem",
    group: "Problems",
    keys: ["F8"],
    scope: "page",
    refusal,
    run: () => step(1),
  },
  {
    id: "previous-problem",
    title: "Problem before",
    group: "Problems",
    keys: ["Shift+F8"],
    scope: "page",
    refusal,
    run: () => step(-1),
  },
  {
    id: "problems",
    title: "Show or hide the list of problems",
    group: "Problems",
    scope: "page",
    run: () => usePanels.getState().toggleProblems(),
  },
];

function refusal(): string | null {
  return useProblems.getState().problems.length ? null : "There is no problem.";
}
