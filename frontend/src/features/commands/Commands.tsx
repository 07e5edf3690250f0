// Carries out commands by their keys, and shows what finds them: command palette, search, list of keys.
import { useLayoutEffect, useState } from "react";
import { type Command, keyName, useCommands } from "~/store/commands";
import { tell } from "~/store/notices";
import Finder from "./Finder";
import { goRegion } from "./regions";
import Shortcuts from "./Shortcuts";

type Open = "all" | "text" | "keys" | null;

export default function Commands() {
  const [open, setOpen] = useState<Open>(null);
  // Before the first picture: whoever sees the page can use its keys.
  useLayoutEffect(() => useCommands.getState().add(own(setOpen)), []);
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || inDialog(event.target)) return;
      const command = commandFor(event);
      if (!command) return;
      event.preventDefault();
      const refusal = command.refusal?.();
      if (refusal) tell(refusal, "refused");
      else command.run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  const close = () => setOpen(null);
  if (open === "keys") return <Shortcuts onClose={close} />;
  return open ? <Finder what={open} onClose={close} /> : null;
}

function own(show: (open: Open) => void): Command[] {
  return [
    {
      id: "commands",
      title: "Commands, nodes and flows",
      group: "Find",
      keys: ["Mod+K"],
      scope: "page",
      run: () => show("all"),
    },
    { id: "find", title: "Find in this flow", group: "Find", keys: ["Mod+F"], scope: "page", run: () => show("text") },
    { id: "shortcuts", title: "List all keys", group: "Find", keys: ["?"], scope: "page", run: () => show("keys") },
    {
      id: "next-region",
      title: "Next part of the page",
      group: "Move the focus",
      keys: ["F6"],
      scope: "page",
      run: () => goRegion(1),
      quiet: true,
    },
    {
      id: "previous-region",
      title: "Previous part of the page",
      group: "Move the focus",
      keys: ["Shift+F6"],
      scope: "page",
      run: () => goRegion(-1),
      quiet: true,
    },
  ];
}

function commandFor(event: KeyboardEvent): Command | undefined {
  const name = keyName(event);
  const found = useCommands.getState().commands.filter((one) => !isSilent(one) && one.keys?.includes(name));
  const at = event.target instanceof Element ? event.target : null;
  if (at?.matches(".outline-row"))
    return found.find((one) => one.scope === "outline") ?? found.find((one) => one.scope !== "picture");
  if (at?.matches(".flow-canvas, .flow-canvas .react-flow__node")) return found.find((one) => one.scope !== "outline");
  // A field has its own undo, and signs are written there.
  const writing = isWritable(event.target);
  const sign = !name.includes("Mod+") && !/^(Shift\+)?F\d/.test(name);
  return found.find((one) => one.scope === "page" && !(writing && (sign || /Mod\+(Shift\+)?[ZY]/.test(name))));
}

/** Listed for people, done elsewhere. */
const isSilent = (command: Command) => command.quiet && command.scope === "canvas";

function isWritable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select, .code-host");
}

function inDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("dialog, [role=dialog], [role=menu]") !== null;
}
