// Several things selected: what can be done to all of them at once.
import { all, removeEdges, removeNodes, updateNode } from "~/graph/edits";
import { commandOf } from "~/store/commands";
import { useEditor } from "~/store/editor";

export default function ManyPanel() {
  const nodes = useEditor((state) => state.nodes);
  const edges = useEditor((state) => state.edges);
  const document = useEditor((state) => state.document);
  const readOnly = useEditor((state) => state.readOnly);
  const chosen = document.nodes.filter((node) => nodes.has(node.id));
  const on = chosen.filter((node) => node.enabled !== false).length;
  const { apply } = useEditor.getState();

  function enable(enabled: boolean) {
    const edits = chosen.map((node) => updateNode(node.id, { enabled: enabled ? undefined : false }));
    apply(`${enabled ? "Enable" : "Disable"} ${chosen.length} nodes`, all(...edits));
  }

  return (
    <>
      <header className="inspector-head">
        <h2>{[plural(nodes.size, "node"), plural(edges.size, "edge")].filter(Boolean).join(", ")} selected</h2>
      </header>
      <div className="inspector-fields">
        {chosen.length ? (
          <p>
            {on} enabled, {chosen.length - on} disabled. A disabled node is passed through, with no output.
          </p>
        ) : null}
        <div className="button-row">
          {chosen.length ? (
            <>
              <button
                type="button"
                className="button"
                disabled={readOnly || on === chosen.length}
                onClick={() => enable(true)}
              >
                Enable all
              </button>
              <button type="button" className="button" disabled={readOnly || on === 0} onClick={() => enable(false)}>
                Disable all
              </button>
              <button type="button" className="button" disabled={readOnly} onClick={() => commandOf("extract")?.run()}>
                Make a sub-flow…
              </button>
            </>
          ) : null}
          <button
            type="button"
            className="button"
            disabled={readOnly}
            onClick={() => apply("Delete the selection", all(removeNodes(nodes), removeEdges(edges)))}
          >
            Delete all
          </button>
        </div>
      </div>
    </>
  );
}

function plural(count: number, noun: string): string {
  return count === 0 ? "" : count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
