// The list of what can be added to a flow, searchable, what was used last first. Palette, edges and ports share it.
import { type DragEvent, useCallback, useMemo } from "react";
import { useCatalog } from "~/store/catalog";
import { useRecents } from "~/store/recents";
import SearchList, { type Item } from "~/ui/SearchList";
import { CHOICE_TYPE, type Choice, choicesOf, matching } from "./choices";
import { NodeIcon } from "./icons";

interface Props {
  label: string;
  /** With what ends a path; left out where something must follow. */
  endings?: boolean;
  draggable?: boolean;
  autoFocus?: boolean;
  onChoose: (choice: Choice) => void;
  onCancel?: () => void;
}

type Entry = Item & { choice: Choice };

export default function NodePicker({ label, endings = true, draggable = false, autoFocus, onChoose, onCancel }: Props) {
  const nodeTypes = useCatalog((state) => state.nodeTypes);
  const tools = useCatalog((state) => state.tools);
  const recents = useRecents((state) => state.keys);
  const choices = useMemo(
    () => choicesOf({ nodeTypes, tools }).filter((choice) => endings || !choice.ends),
    [nodeTypes, tools, endings],
  );
  const search = useCallback(
    (query: string): Entry[] => {
      const found = matching(choices, query);
      if (query.trim()) return found.map((choice) => entryOf(choice));
      const recent = recents.flatMap((key) => choices.find((choice) => choice.key === key) ?? []);
      return [
        ...recent.map((choice) => entryOf(choice, "Recent")),
        ...found.map((choice) => entryOf(choice, choice.group)),
      ];
    },
    [choices, recents],
  );
  return (
    <SearchList
      label={label}
      placeholder="Search nodes and tools"
      search={search}
      none="No kind of node has these words."
      onChoose={(entry) => onChoose(entry.choice)}
      {...(autoFocus ? { autoFocus } : {})}
      {...(onCancel ? { onCancel } : {})}
      {...(draggable ? { onDragStart: drag } : {})}
    />
  );
}

function entryOf(choice: Choice, group?: string): Entry {
  return {
    key: choice.key,
    title: choice.title,
    detail: choice.sentence,
    icon: <NodeIcon type={choice.type} category={choice.category} />,
    choice,
    ...(group ? { group } : {}),
  };
}

function drag({ choice }: Entry, event: DragEvent) {
  event.dataTransfer.setData(CHOICE_TYPE, choice.key);
  event.dataTransfer.effectAllowed = "copy";
}
