// A command as a button of a toolbar: with its keys, and saying why where it cannot be done.
import type { ReactNode } from "react";
import { commandOf, keyWords, useCommands } from "~/store/commands";
import { useEditor } from "~/store/editor";
import { ToolButton } from "~/ui/Toolbar";

interface Props {
  id: string;
  label?: string;
  children: ReactNode;
}

export default function CommandButton({ id, label, children }: Props) {
  // Drawn anew with each change and each choice, because whether it can be done changes with them.
  useEditor((state) => state.document);
  useEditor((state) => state.nodes);
  useEditor((state) => state.edges);
  const command = useCommands((state) => state.commands.find((one) => one.id === id));
  if (!command) return null;
  const [keys] = command.keys ?? [];
  return (
    <ToolButton
      label={label ?? command.title}
      refusal={command.refusal?.() ?? null}
      onClick={() => commandOf(id)?.run()}
      {...(keys ? { keys: keyWords(keys) } : {})}
    >
      {children}
    </ToolButton>
  );
}
