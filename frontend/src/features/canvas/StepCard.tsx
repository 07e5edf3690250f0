// A node's card on the canvas: icon, name, what it does, its ports.
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { labelOf, type Outcome } from "~/graph/document";
import { OUTCOME_WORDS, outcomesOf } from "~/graph/ports";
import { NodeIcon } from "~/nodes/icons";
import { summaryOf } from "~/nodes/summary";
import { useNodeType } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import type { StepElement } from "./flowElements";

function StepCard({ data: { node } }: NodeProps<StepElement>) {
  const type = useNodeType(node.type);
  const title = type?.title ?? node.type;
  const summary = summaryOf(node);
  return (
    <div className={`step-card${node.enabled === false ? " step-card-off" : ""}`}>
      <Handle type="target" position={Position.Left} />
      <NodeIcon type={node.type} category={type?.category} />
      <span className="step-text">
        <span className="step-name">{labelOf(node)}</span>
        <span className="step-kind">{summary ? `${title} · ${summary}` : title}</span>
      </span>
      <Ports id={node.id} type={node.type} />
    </div>
  );
}

/** The outcome `success` always, others where an edge leaves by them. */
function Ports({ id, type }: { id: string; type: string }) {
  const used = useEditor((state) => usedOutcomes(state.document.edges, id));
  const shown = outcomesOf({ type }).filter((outcome) => outcome === "success" || used.includes(outcome));
  return shown.map((outcome, index) => (
    <Handle
      key={outcome}
      id={outcome}
      type="source"
      position={Position.Right}
      title={OUTCOME_WORDS[outcome]}
      style={{ top: `${((index + 1) * 100) / (shown.length + 1)}%` }}
    />
  ));
}

/** As one text, so that a card is drawn anew only where it changed. */
function usedOutcomes(edges: readonly { source: string; on?: Outcome }[], id: string): string {
  return edges
    .filter((edge) => edge.source === id && edge.on)
    .map((edge) => edge.on)
    .join(" ");
}

export default memo(StepCard);
