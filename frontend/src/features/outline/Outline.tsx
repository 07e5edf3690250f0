// The flow as a tree of rows: a second editor beside the canvas, with the same document, selection and undo.
import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { outlineOf } from "~/graph/outline";
import CommandButton from "~/nodes/CommandButton";
import { LayersContext } from "~/nodes/layers";
import type { Overlay } from "~/nodes/overlay";
import { placeAutomatically } from "~/store/actions/arranging";
import { useEditor } from "~/store/editor";
import { useView } from "~/store/view";
import Toolbar from "~/ui/Toolbar";
import { useOutlineCommands } from "./commands";
import EdgeLine from "./EdgeLine";
import NodeLine from "./NodeLine";
import { useOutline } from "./state";
import { useOutlineView } from "./useOutlineView";
import { choose, useRowKeys } from "./useRowKeys";
import "./outline.css";

export default function Outline({ overlay = null }: { overlay?: Overlay | null }) {
  const document = useEditor((state) => state.document);
  const readOnly = useEditor((state) => state.readOnly);
  const folded = useOutline((state) => state.folded);
  const active = useOutline((state) => state.active);
  const tree = useRef<HTMLDivElement>(null);
  const { rows, order } = useMemo(() => outlineOf(document, folded), [document, folded]);
  const places = useMemo(() => new Map(order.map((id, index) => [id, index + 1])), [order]);
  const latest = useRef({ rows, tree });
  latest.current = { rows, tree };
  useOutlineView(latest);
  useOutlineCommands();
  useBeginning();
  useFollowing();
  const stop = rows.some((row) => row.key === active) ? active : rows[0]?.key;
  const onKeyDown = useRowKeys(rows, (row, extend) => {
    choose(row, extend);
    useOutline.getState().stand(row.key);
    tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.key)}"]`)?.focus();
  });
  const layers = useMemo(() => ({ overlay, diff: null, editable: !readOnly }), [overlay, readOnly]);
  return (
    <LayersContext value={layers}>
      <div ref={tree} className="outline-rows" onFocusCapture={() => useView.setState({ last: "outline" })}>
        {rows.length ? (
          <div
            role="tree"
            tabIndex={-1}
            aria-label={`Outline of ${document.name || document.id}`}
            aria-multiselectable="true"
            onKeyDown={onKeyDown}
            onFocus={(event) => {
              // By Tab, or back from a dialog: the row that has the focus is the one that keys act on.
              const key = event.target instanceof HTMLElement ? event.target.dataset.key : undefined;
              const row = rows.find((one) => one.key === key);
              if (!row) return;
              useOutline.getState().stand(row.key);
              const { nodes, edges } = useEditor.getState();
              if (!nodes.size && !edges.size) choose(row, false);
            }}
          >
            {rows.map((row) =>
              row.kind === "node" ? (
                <NodeLine
                  key={row.key}
                  row={row}
                  active={row.key === stop}
                  place={places.get(row.id) ?? 0}
                  total={order.length}
                />
              ) : (
                <EdgeLine key={row.key} row={row} active={row.key === stop} />
              ),
            )}
          </div>
        ) : (
          <Empty readOnly={readOnly} />
        )}
      </div>
      {readOnly ? null : <Tools />}
    </LayersContext>
  );
}

function Empty({ readOnly }: { readOnly: boolean }) {
  return (
    <div className="outline-empty">
      <p>{readOnly ? "This flow has no steps." : "What should this flow do first?"}</p>
      {readOnly ? null : (
        <Toolbar label="Begin">
          <CommandButton id="add" label="Add the first node">
            Add the first node
          </CommandButton>
        </Toolbar>
      )}
    </div>
  );
}

function Tools() {
  const last = useEditor((state) => state.past.at(-1)?.label);
  const next = useEditor((state) => state.future.at(-1)?.label);
  return (
    <Toolbar label="What to do in the outline" className="toolbar outline-tools">
      <CommandButton id="add" label="Add a node">
        Add
      </CommandButton>
      <CommandButton id="connect-row">Connect</CommandButton>
      <CommandButton id="row-up">Up</CommandButton>
      <CommandButton id="row-down">Down</CommandButton>
      <CommandButton id="duplicate">Copy</CommandButton>
      <CommandButton id="delete">Delete</CommandButton>
      <CommandButton id="undo" label={last ? `Undo: ${last}` : "Undo"}>
        Undo
      </CommandButton>
      <CommandButton id="redo" label={next ? `Redo: ${next}` : "Redo"}>
        Redo
      </CommandButton>
      <CommandButton id="shortcuts">?</CommandButton>
    </Toolbar>
  );
}

/** Large flows begin folded; nodes without a place get theirs, so that what is added here stands well on the canvas. */
function useBeginning(): void {
  const flow = useEditor((state) => state.document.id);
  useLayoutEffect(() => {
    if (flow) useOutline.getState().begin(useEditor.getState().document);
    if (!useView.getState().view) void placeAutomatically(useEditor.getState().document);
  }, [flow]);
}

/** What is chosen elsewhere is the row where Tab comes to. */
function useFollowing(): void {
  useEffect(
    () =>
      useEditor.subscribe(({ nodes, edges }, before) => {
        if (nodes === before.nodes && edges === before.edges) return;
        const [node] = nodes;
        const [edge] = edges;
        if (nodes.size + edges.size !== 1) return;
        useOutline.getState().stand(node === undefined ? `edge:${edge}` : `node:${node}`);
      }),
    [],
  );
}
