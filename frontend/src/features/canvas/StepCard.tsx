// A node's card on the canvas: icon, name, what it does or how it stands, one badge, its ports. At most 20 elements.
import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import type { FlowNode } from "~/graph/document";
import { NodeIcon } from "~/nodes/icons";
import { useDiffMark, useLayers, useStepOverlay } from "~/nodes/layers";
import { MarkIcon } from "~/nodes/MarkIcon";
import type { StepOverlay } from "~/nodes/overlay";
import PinMark from "~/nodes/PinMark";
import StateLine from "~/nodes/StateLine";
import { summaryOf } from "~/nodes/summary";
import TogetherMarks from "~/nodes/TogetherMarks";
import { useNodeType, useTool } from "~/store/catalog";
import { useNodeProblems } from "~/store/problems";
import type { StepElement } from "./elements";
import Ports from "./Ports";

function StepCard({ data: { box, label } }: NodeProps<StepElement>) {
  const { node } = box;
  const type = useNodeType(node.type);
  const overlay = useStepOverlay(node.id);
  const diff = useDiffMark("nodes", node.id);
  const title = type?.title ?? node.type;
  const summary = box.container ? `${box.holds} ${box.holds === 1 ? "step" : "steps"}` : summaryOf(node);
  const classes = [
    "step-card",
    node.enabled === false ? "step-card-off" : "",
    box.container ? "step-card-folded" : "",
    type ? "" : "step-card-unknown",
    overlay ? `state-${overlay.status}` : "",
    overlay?.earlier ? "state-earlier" : "",
    diff ? `diff-${diff}` : "",
  ];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <NodeIcon type={node.type} category={type?.category} />
      <span className="step-text">
        <span className="step-name">{label}</span>
        <span className="step-kind" id={`state-${node.id}`}>
          {overlay ? (
            <StateLine overlay={overlay} />
          ) : type ? (
            [title, summary].filter(Boolean).join(" · ")
          ) : (
            `Unknown type: ${title}`
          )}
        </span>
      </span>
      <PinMark node={node.id} />
      <TogetherMarks node={node.id} />
      <Badge node={node} overlay={overlay} diff={diff} />
      <Ports box={box} />
    </div>
  );
}

const DIFF_SIGNS = { added: "+", removed: "−", changed: "Δ", same: "" };
const DIFF_WORDS = { added: "Added", removed: "Removed", changed: "Changed", same: "" };

interface BadgeProps {
  node: FlowNode;
  overlay: StepOverlay | undefined;
  diff: keyof typeof DIFF_SIGNS | undefined;
}

/** One place for what matters most: a difference, a state, problems, a person who is asked, further attempts. */
export function Badge({ node, overlay, diff }: BadgeProps) {
  const { editable } = useLayers();
  if (diff === "same") return null;
  if (diff)
    return (
      <span className={`badge-slot badge-${diff}`} title={DIFF_WORDS[diff]}>
        {DIFF_SIGNS[diff]}
      </span>
    );
  if (overlay)
    return <MarkBadge mark={overlay.status} text={overlay.count && overlay.count > 1 ? overlay.count : ""} />;
  return editable ? <ProblemBadge node={node} /> : <SettingBadge node={node} />;
}

function ProblemBadge({ node }: { node: FlowNode }) {
  const { errors, warnings } = useNodeProblems(node.id);
  if (errors) return <MarkBadge mark="failed" text={errors} title={counted(errors, "error")} />;
  if (warnings) return <MarkBadge mark="warned" text={warnings} title={counted(warnings, "warning")} />;
  return <SettingBadge node={node} />;
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

function SettingBadge({ node }: { node: FlowNode }) {
  const tool = useTool(node.type === "tool_call" ? String(node.config?.tool ?? "") : undefined);
  if (node.type === "approval" || tool?.needs_approval === "always")
    return <MarkBadge mark="approval" text="" title="Asks a person" plain />;
  if (!node.retry) return null;
  const most = node.retry.max_attempts;
  return <MarkBadge mark="retrying" text={most} title={`Up to ${most} attempts`} plain />;
}

interface MarkBadgeProps {
  mark: string;
  text: string | number;
  title?: string;
  plain?: boolean;
}

function MarkBadge({ mark, text, title, plain = false }: MarkBadgeProps) {
  const symbol = mark === "blocked" ? "skipped" : mark;
  return (
    <span className={plain ? "badge-slot" : `badge-slot badge-${mark}`} title={title}>
      <MarkIcon mark={symbol} />
      {text}
    </span>
  );
}

export default memo(StepCard);
