// A container on the canvas: a frame with a title, around the nodes that it holds.
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { labelOf } from "~/graph/document";
import { NodeIcon } from "~/nodes/icons";
import { summaryOf } from "~/nodes/summary";
import { useNodeType } from "~/store/catalog";
import type { StepElement } from "./flowElements";

function ContainerCard({ data: { node } }: NodeProps<StepElement>) {
  const type = useNodeType(node.type);
  const summary = summaryOf(node);
  return (
    <div className="container-card">
      <Handle type="target" position={Position.Left} />
      <div className="container-head">
        <NodeIcon type={node.type} category={type?.category} />
        <span className="step-name">{labelOf(node)}</span>
        <span className="step-kind">
          {summary ? `${type?.title ?? node.type} · ${summary}` : (type?.title ?? node.type)}
        </span>
      </div>
      <Handle type="source" id="success" position={Position.Right} />
    </div>
  );
}

export default memo(ContainerCard);
