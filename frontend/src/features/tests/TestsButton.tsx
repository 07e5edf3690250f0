// Opens the panel of tests from the head of the editor.
import { useEffect, useLayoutEffect } from "react";
import { useCommands } from "~/store/commands";
import { useFlowTests } from "~/store/flowTests";
import { usePanels } from "~/store/panels";
import { TEST_COMMANDS } from "./commands";

export default function TestsButton({ flow }: { flow: string }) {
  const isOpen = usePanels((state) => state.testsOpen);
  useLayoutEffect(() => useCommands.getState().add(TEST_COMMANDS), []);
  useEffect(() => void useFlowTests.getState().load(flow), [flow]);
  return (
    <button type="button" aria-pressed={isOpen} onClick={() => usePanels.getState().toggleTests()}>
      Tests
    </button>
  );
}
