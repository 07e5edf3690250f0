// An edge: its outcome, condition and label, and when it is tried among the others that leave its source.
import { type FlowEdge, findEdge, findNode, labelOf, outcomeOf } from "~/graph/document";
import { moveEdge, removeEdges, siblingsOf } from "~/graph/edits";
import { OUTCOME_WORDS } from "~/graph/ports";
import type { Schema } from "~/graph/schema";
import { useCatalog } from "~/store/catalog";
import { commandOf } from "~/store/commands";
import { useEditor } from "~/store/editor";
import { Labelled } from "~/ui/Labelled";
import { definitionOf, definitionsOf } from "../form/definitions";
import { SchemaForm, write } from "../form/SchemaForm";
import { EdgeFields } from "./EdgeFields";

export default function EdgePanel({ flow, id }: { flow: string; id: string }) {
  const document = useEditor((state) => state.document);
  const readOnly = useEditor((state) => state.readOnly);
  const schema = useCatalog((state) => state.documentSchema);
  const edge = findEdge(document, id);
  if (!edge) return null;
  const name = (node: string) => labelOf(findNode(document, node) ?? { id: node });
  const place = { kind: "edge", id } as const;
  const { apply } = useEditor.getState();
  return (
    <SchemaForm flow={flow} place={place} spot={{ edge: id }} defs={definitionsOf(schema)}>
      <header className="inspector-head">
        <h2>
          {name(edge.source)} → {name(edge.target)}
        </h2>
        <p className="quiet small">Edge · {OUTCOME_WORDS[outcomeOf(edge)]}</p>
      </header>
      <div className="inspector-fields">
        <EdgeFields
          edge={edge}
          schema={definitionOf(schema, "Edge") as Schema}
          onChange={(key, value) => write(place, `/${key}`, key === "on" ? "outcome" : key, value)}
        />
        <Order edge={edge} siblings={siblingsOf(document, edge)} readOnly={readOnly} name={name} />
        <div className="button-row">
          <button type="button" className="button" disabled={readOnly} onClick={() => commandOf("lead")?.run()}>
            Lead to another node…
          </button>
          <button
            type="button"
            className="button"
            disabled={readOnly}
            onClick={() => apply("Delete the edge", removeEdges([id]))}
          >
            Delete the edge
          </button>
        </div>
      </div>
    </SchemaForm>
  );
}

interface OrderProps {
  edge: FlowEdge;
  siblings: readonly FlowEdge[];
  readOnly: boolean;
  name(node: string): string;
}

/** Edges are tried in their order; the first that matches is taken. */
function Order({ edge, siblings, readOnly, name }: OrderProps) {
  const source = useEditor((state) => findNode(state.document, edge.source));
  const { apply } = useEditor.getState();
  const at = siblings.indexOf(edge);
  if (siblings.length < 2) return <p className="field-help">The only edge for this outcome.</p>;
  const order = at === 0 ? "Tried first." : at === siblings.length - 1 ? "Tried last." : `Tried as number ${at + 1}.`;
  return (
    <Labelled
      label="Order"
      group
      help={
        source?.fan_out ? "A fan-out takes every edge that matches." : `${order} The first edge that matches is taken.`
      }
    >
      <ol className="edge-order">
        {siblings.map((one) => (
          <li key={one.id} aria-current={one === edge || undefined}>
            {name(one.target)} <span className="quiet">{one.when ? one.when : "otherwise"}</span>
          </li>
        ))}
      </ol>
      <div className="button-row">
        <button
          type="button"
          className="button"
          disabled={readOnly || at === 0}
          onClick={() => apply("Try the edge earlier", moveEdge(edge.id, -1))}
        >
          Try earlier
        </button>
        <button
          type="button"
          className="button"
          disabled={readOnly || at === siblings.length - 1}
          onClick={() => apply("Try the edge later", moveEdge(edge.id, 1))}
        >
          Try later
        </button>
      </div>
    </Labelled>
  );
}
