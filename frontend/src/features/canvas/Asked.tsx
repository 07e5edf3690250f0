// What is asked at a point of the screen: a searchable list or a menu. Afterwards the focus goes to what was made.
import { useCallback } from "react";
import { edgeName, refusalOf, type Start } from "~/graph/connecting";
import { findNode, labelOf, type Outcome } from "~/graph/document";
import { OUTCOME_WORDS, OUTCOMES } from "~/graph/ports";
import { closesLoop, edgesFrom, edgesInto, readingOrder } from "~/graph/wiring";
import { NodeIcon } from "~/nodes/icons";
import NodePicker from "~/nodes/NodePicker";
import { addNode } from "~/store/actions/adding";
import { connectTo, moveSelectionInto } from "~/store/actions/editing";
import { commandOf, keyWords } from "~/store/commands";
import { current } from "~/store/drawing";
import { useEditor } from "~/store/editor";
import { usePanels } from "~/store/panels";
import { type Asked as Question, usePicker } from "~/store/picker";
import { canvasView } from "~/store/view";
import Menu, { type MenuItem } from "~/ui/Menu";
import Popover from "~/ui/Popover";
import SearchList, { type Item } from "~/ui/SearchList";
import { targetsOfMove } from "./arranging";

export default function Asked() {
  const asked = usePicker((state) => state.asked);
  const close = usePicker((state) => state.close);
  if (!asked) return null;
  const { x, y } = asked;
  if (asked.kind === "menu") return <Menu label="What to do" x={x} y={y} items={menuItems()} onClose={close} />;
  if (asked.kind === "outcome")
    return <Menu label="When it ends with" x={x} y={y} items={outcomeItems(asked)} onClose={close} />;
  return <Listed key={`${asked.kind} ${x} ${y}`} asked={asked} />;
}

const LABELS = { add: "Add a node", connect: "Connect with", edges: "Edges", into: "Move into" };
type ListQuestion = Extract<Question, { kind: keyof typeof LABELS }>;

function Listed({ asked }: { asked: ListQuestion }) {
  const { close } = usePicker.getState();
  const cancel = useCallback(() => {
    usePicker.getState().close();
    canvasView()?.focus();
  }, []);
  const search = useCallback((query: string) => filtered(itemsOf(asked), query), [asked]);
  const label = asked.kind === "connect" && asked.edge !== undefined ? "Lead to" : LABELS[asked.kind];
  return (
    <Popover label={label} x={asked.x} y={asked.y} onClose={close}>
      {asked.kind === "add" ? (
        <NodePicker
          label={label}
          endings={asked.spot.kind !== "edge"}
          autoFocus
          onCancel={cancel}
          onChoose={(choice) => {
            close();
            const id = addNode(choice, asked.spot);
            if (id) canvasView()?.focus(id);
          }}
        />
      ) : (
        <SearchList
          label={label}
          placeholder={label}
          search={search}
          autoFocus
          onCancel={cancel}
          onChoose={(item) => {
            close();
            chosen(asked, item.key);
          }}
        />
      )}
    </Popover>
  );
}

function filtered(items: readonly Item[], query: string): Item[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) =>
    words.every((word) => `${item.title} ${item.detail ?? ""}`.toLowerCase().includes(word)),
  );
}

function itemsOf(asked: ListQuestion): Item[] {
  if (asked.kind === "connect") return targetItems(asked.start);
  if (asked.kind === "edges") return edgeItems(asked.node);
  return targetsOfMove().map(({ id, title }) => ({ key: id ?? "", title }));
}

/** Valid targets in reading order, those first that come later. */
function targetItems(start: Start): Item[] {
  const { document } = current();
  const order = readingOrder(document);
  const at = order.indexOf(start.source);
  const later = [...order.slice(at + 1), ...order.slice(0, at)];
  return later.flatMap((id) => {
    const node = findNode(document, id);
    if (!node || refusalOf(document, start, id)) return [];
    const loop = closesLoop(document, start.source, id);
    return [
      {
        key: id,
        title: labelOf(node),
        icon: <NodeIcon type={node.type} />,
        ...(loop ? { detail: "Closes a loop" } : {}),
      },
    ];
  });
}

function edgeItems(id: string): Item[] {
  const { document, geometry } = current();
  const item = (group: string) => (edge: (typeof document.edges)[number]) => ({
    key: edge.id,
    title: edgeName(document, edge),
    group,
  });
  return [
    ...edgesFrom(geometry.wiring, id).map(item("Leaving")),
    ...edgesInto(geometry.wiring, id).map(item("Coming in")),
  ];
}

function chosen(asked: ListQuestion, key: string): void {
  if (asked.kind === "connect") {
    const done = connectTo(asked.start, key);
    // An edge that leads elsewhere stays selected, so that the next key can go on with it.
    if (asked.edge !== undefined) canvasView()?.focus(asked.start.source);
    else if (done && !useEditor.getState().edges.size) canvasView()?.focus(asked.start.source);
  } else if (asked.kind === "edges") usePanels.getState().openInspector({ kind: "edge", id: key });
  else moveSelectionInto(key || undefined).then(() => canvasView()?.focus());
}

const IN_MENU = [
  ["add", "add-before", "add-inside", "connect", "outcomes", "edges", "lead"],
  ["row-up", "row-down"],
  ["rename", "note", "disable"],
  ["copy", "cut", "paste", "duplicate", "delete"],
  ["collapse", "into", "group-sequence", "group-parallel", "group-for-each", "ungroup", "extract"],
  ["tidy-selection", "align-left", "align-top", "distribute-x", "distribute-y"],
  ["select-before", "select-after", "select-all", "tidy"],
];

/** What can be done now; what cannot is left out of a menu, the command palette has all. */
function menuItems(): MenuItem[] {
  return IN_MENU.flatMap((ids, block) => {
    const commands = ids.flatMap((id) => commandOf(id) ?? []);
    const can = commands.filter((command) => !command.refusal?.());
    return can.map((command, index) => ({
      key: command.id,
      title: command.title,
      divided: block > 0 && index === 0,
      run: command.run,
      ...(command.keys?.[0] ? { hint: keyWords(command.keys[0]) } : {}),
    }));
  });
}

function outcomeItems({ source, target, x, y }: Extract<Question, { kind: "outcome" }>): MenuItem[] {
  const { document } = current();
  const run = (port: Outcome) => () => {
    if (target) connectTo({ source, port }, target);
    else usePicker.getState().open({ kind: "add", spot: { kind: "after", start: { source, port } }, x, y });
  };
  return OUTCOMES.slice(1).map((port) => ({
    key: port,
    title: OUTCOME_WORDS[port],
    refusal: target ? refusalOf(document, { source, port }, target) : null,
    run: run(port),
  }));
}
