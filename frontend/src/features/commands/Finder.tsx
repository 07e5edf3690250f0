// Searching: every text of this flow (Ctrl+F), or commands, this flow's nodes and other flows by their name (Ctrl+K).
import { useCallback, useEffect, useState } from "react";
import { type FlowSummary, listFlows } from "~/api/flows";
import { labelOf } from "~/graph/document";
import { type Found, found } from "~/graph/finding";
import { NodeIcon } from "~/nodes/icons";
import { type Command, keyWords, useCommands } from "~/store/commands";
import { useEditor } from "~/store/editor";
import { usePanels } from "~/store/panels";
import { canvasView } from "~/store/view";
import Dialog from "~/ui/Dialog";
import SearchList, { type Item } from "~/ui/SearchList";

interface Entry extends Item {
  run: () => void;
}

interface Props {
  /** `text`: in every field of this flow. `all`: commands, nodes, flows. */
  what: "text" | "all";
  onClose: () => void;
}

export default function Finder({ what, onClose }: Props) {
  const document = useEditor((state) => state.document);
  const commands = useCommands((state) => state.commands);
  const flows = useFlows(what === "all");
  const search = useCallback(
    (query: string): Entry[] => {
      if (what === "text") return found(document, query).map(textEntry);
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
      const nodes = document.nodes.filter((node) => fits(`${labelOf(node)} ${node.id} ${node.type}`)).map(nodeEntry);
      return [
        ...commands.filter((one) => !one.quiet && fits(one.title)).map(commandEntry),
        ...nodes.slice(0, words.length ? 50 : 8),
        ...flows.filter((flow) => fits(`${flow.name} ${flow.id}`)).map(flowEntry),
      ];
    },
    [what, document, commands, flows],
  );
  const label = what === "text" ? "Find in this flow" : "Commands, nodes and flows";
  return (
    <Dialog title={label} onClose={onClose} actions={null}>
      <SearchList
        label={label}
        placeholder={what === "text" ? "Find in names, prompts, expressions and all other fields" : label}
        search={search}
        none={what === "text" ? "Write what to look for." : "Nothing has these words."}
        autoFocus
        onCancel={onClose}
        onChoose={(entry) => {
          onClose();
          // After the dialog has given the focus back.
          setTimeout(entry.run);
        }}
      />
    </Dialog>
  );
}

function commandEntry(command: Command): Entry {
  return {
    key: `command:${command.id}`,
    title: command.title,
    group: "Commands",
    refusal: command.refusal?.() ?? null,
    run: command.run,
    ...(command.keys?.[0] ? { hint: keyWords(command.keys[0]) } : {}),
  };
}

function nodeEntry(node: { id: string; name?: string; type: string }): Entry {
  return {
    key: `node:${node.id}`,
    title: labelOf(node),
    group: "Nodes of this flow",
    icon: <NodeIcon type={node.type} />,
    run: () => show(node.id),
  };
}

function flowEntry(flow: FlowSummary): Entry {
  return {
    key: `flow:${flow.id}`,
    title: flow.name || flow.id,
    group: "Flows",
    run: () => window.location.assign(`/flows/${encodeURIComponent(flow.id)}/edit/`),
  };
}

function textEntry(one: Found, index: number): Entry {
  return {
    key: `${one.kind}:${one.id}:${one.pointer}:${index}`,
    title: one.title,
    detail: `${one.field}: ${one.excerpt}`,
    group: one.kind === "node" ? "Nodes" : "Edges",
    run: () => {
      if (one.kind === "node") show(one.id);
      usePanels.getState().openInspector({ kind: one.kind, id: one.id }, one.pointer);
    },
  };
}

function show(id: string) {
  useEditor.getState().select([id]);
  canvasView()?.focus(id);
}

/** The flows that this person may see; none where they cannot be read just now. */
function useFlows(wanted: boolean): readonly FlowSummary[] {
  const [flows, setFlows] = useState<readonly FlowSummary[]>([]);
  useEffect(() => {
    if (!wanted) return;
    const controller = new AbortController();
    listFlows(controller.signal)
      .then(setFlows)
      .catch(() => {});
    return () => controller.abort();
  }, [wanted]);
  return flows;
}
