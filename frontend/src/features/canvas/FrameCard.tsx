// A container on the canvas: a frame with a head around the nodes that it holds.
import type { NodeProps } from "@xyflow/react";
import { memo, useContext } from "react";
import { NodeIcon } from "~/nodes/icons";
import { useDiffMark, useStepOverlay } from "~/nodes/layers";
import PinMark from "~/nodes/PinMark";
import StateLine from "~/nodes/StateLine";
import { summaryOf } from "~/nodes/summary";
import { useNodeType } from "~/store/catalog";
import type { StepElement } from "./elements";
import { FoldContext } from "./fold";
import Ports from "./Ports";
import { Badge } from "./StepCard";

function FrameCard({ data: { box, label } }: NodeProps<StepElement>) {
  const { node } = box;
  const type = useNodeType(node.type);
  const overlay = useStepOverlay(node.id);
  const diff = useDiffMark("nodes", node.id);
  const fold = useContext(FoldContext);
  const summary = summaryOf(node);
  const title = type?.title ?? `Unknown type: ${node.type}`;
  const classes = [
    "frame-card",
    node.enabled === false ? "step-card-off" : "",
    overlay ? `state-${overlay.status}` : "",
    overlay?.earlier ? "state-earlier" : "",
    diff ? `diff-${diff}` : "",
  ];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <div className="frame-head">
        <NodeIcon type={node.type} category={type?.category} />
        <span className="step-name">{label}</span>
        <span className="step-kind" id={`state-${node.id}`}>
          {overlay ? <StateLine overlay={overlay} /> : summary ? `${title} · ${summary}` : title}
        </span>
        <PinMark node={node.id} />
        <Badge node={node} overlay={overlay} diff={diff} />
        <button
          type="button"
          className="fold nodrag"
          tabIndex={-1}
          aria-label={`Collapse ${label}`}
          title={`Collapse (${box.holds} ${box.holds === 1 ? "step" : "steps"})`}
          onClick={() => fold(node.id)}
        >
          {"−"}
        </button>
      </div>
      {box.holds ? null : <p className="frame-empty small quiet">Drop nodes here, or add one with A.</p>}
      <Ports box={box} />
    </div>
  );
}

export default memo(FrameCard);
