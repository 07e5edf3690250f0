// What can be done with problems: go to one, to the next, to the one before. Menus and keys share these.
import { useEffect } from "react";
import type { Problem } from "~/api/flows";
import { placeOf } from "~/graph/places";
import { usePanels } from "~/store/panels";
import { useProblems } from "~/store/problems";
import { canvasView } from "~/store/view";

let current = -1;

/** Show where a problem is: its node on the canvas, its field in the inspector. */
export function goTo(problem: Problem) {
  const { checked, problems } = useProblems.getState();
  if (!checked) return;
  current = problems.indexOf(problem);
  const { place, pointer } = placeOf(checked, problem);
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

export const PROBLEM_COMMANDS = [
  { name: "Go to the next problem", keys: "F8", run: () => step(1) },
  { name: "Go to the problem before", keys: "Shift+F8", run: () => step(-1) },
];

/** F8 works wherever one stands: also in a field. */
export function useProblemKeys() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "F8" || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
