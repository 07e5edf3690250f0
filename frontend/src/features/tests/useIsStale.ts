// Whether the draft has changed since the tests were run.
import { useEditor } from "~/store/editor";
import { useFlowTests } from "~/store/flowTests";

/** What results were found against is not what is drawn any more. */
export function useIsStale(): boolean {
  const now = useEditor((state) => state.document);
  const then = useFlowTests((state) => state.document);
  return then !== null && then !== now;
}
