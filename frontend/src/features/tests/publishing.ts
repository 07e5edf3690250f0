// Whether the tests stand in the way of publishing.

import { useEditor } from "~/store/editor";
import { counts, useFlowTests } from "~/store/flowTests";
import { many } from "./words";

/** The key of a document that says whether failing tests stop publishing. */
export const BLOCKING_KEY = "x-failing-tests";

/** Whether the draft says that failing tests stop publishing; otherwise they warn. */
export function testsBlock(document: object): boolean {
  return (document as Record<string, unknown>)[BLOCKING_KEY] === "block";
}

/** Why the draft is not published as its tests stand, in a sentence; null: nothing is in the way. */
export function publishRefusal(accepted: boolean): string | null {
  const { work, results, failure } = useFlowTests.getState();
  if (work === "tests") return "The tests are still running.";
  const { failed } = counts(results);
  if (testsBlock(useEditor.getState().document) && (failed || failure))
    return "Failing tests stop publishing this flow. Mend them, or change the flow first.";
  if (failed && !accepted)
    return `Tick that you publish although ${many(failed, "test")} ${failed === 1 ? "fails" : "fail"}.`;
  return null;
}
