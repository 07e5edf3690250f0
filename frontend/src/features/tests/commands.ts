// What can be done with tests: menus, keys and the palette share these.
import type { Command } from "~/store/commands";
import { useFlowTests } from "~/store/flowTests";
import { usePanels } from "~/store/panels";

/** Open the panel, and do something with the tests. */
function openAnd(act: () => unknown): () => void {
  return () => {
    usePanels.getState().toggleTests(true);
    void act();
  };
}

const none = () => (useFlowTests.getState().tests.length ? null : "The flow has no tests yet.");

export const TEST_COMMANDS: readonly Command[] = [
  {
    id: "tests",
    title: "Show or hide the tests",
    group: "Tests",
    scope: "page",
    run: () => usePanels.getState().toggleTests(),
  },
  {
    id: "run-tests",
    title: "Run all tests",
    group: "Tests",
    scope: "page",
    refusal: none,
    run: openAnd(() => useFlowTests.getState().run()),
  },
  {
    id: "crash-test",
    title: "Crash-test this flow",
    group: "Tests",
    scope: "page",
    refusal: none,
    run: openAnd(() => useFlowTests.getState().crash()),
  },
];
