// What is done with the flow as a whole, as named commands: the command palette finds them, running has a key.
import { useLayoutEffect } from "react";
import { type Command, useCommands } from "~/store/commands";
import { needs } from "~/store/guards";
import type { Boot } from "./boot";
import type { DialogName } from "./EditorHeader";

export function useFlowCommands(boot: Boot, open: (dialog: DialogName) => void): void {
  useLayoutEffect(() => useCommands.getState().add(commandsOf(boot, open)), [boot, open]);
}

function commandsOf({ may }: Boot, open: (dialog: DialogName) => void): Command[] {
  const asks = (id: string, title: string, dialog: DialogName, allowed: boolean, ...keys: string[]): Command => ({
    id,
    title,
    group: "Flow",
    keys,
    scope: "page",
    refusal: () => (allowed ? null : "Your role on this flow does not allow it."),
    run: () => open(dialog),
  });
  return [
    asks("run", "Run the flow", "start", may.run, "Mod+Enter"),
    asks("publish", "Publish the draft", "publish", may.publish),
    asks("versions", "Versions of the flow", "versions", true),
    asks("import", "Import a document", "import", may.edit),
    {
      id: "extract",
      title: "Make a sub-flow of it",
      group: "Arrange",
      scope: "canvas",
      refusal: needs(1),
      run: () => open("extract"),
    },
  ];
}
