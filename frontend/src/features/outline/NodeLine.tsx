// The row of a node: what it is called, what it is, how it stands, what is wrong with it.
import { memo } from "react";
import { labelOf } from "~/graph/document";
import type { NodeRow } from "~/graph/outline";
import { NodeIcon } from "~/nodes/icons";
import { useStepOverlay } from "~/nodes/layers";
import { MarkIcon } from "~/nodes/MarkIcon";
import NameField from "~/nodes/NameField";
import { seenWords, stateWords } from "~/nodes/overlay";
import PinMark from "~/nodes/PinMark";
import StateLine from "~/nodes/StateLine";
import { summaryOf } from "~/nodes/summary";
import TogetherMarks from "~/nodes/TogetherMarks";
import { useNodeType } from "~/store/catalog";
import { usePin } from "~/store/pins";
import { useNodeProblems, useProblems } from "~/store/problems";
import { useRenaming } from "~/store/renaming";
import { useOpenComments, useOthersAt } from "~/store/together";
import { isInOutline } from "~/store/view";
import Row, { type RowProps } from "./Row";

type Props = Omit<RowProps, "label" | "row" | "children"> & { row: NodeRow; place: number; total: number };

function NodeLine({ row, place, total, ...rest }: Props) {
  const { node } = row;
  const type = useNodeType(node.type);
  const overlay = useStepOverlay(node.id);
  const { errors, warnings } = useNodeProblems(node.id);
  const problem = useProblems((state) => (errors + warnings ? firstProblem(state.problems, node.id) : undefined));
  const renaming = useRenaming((state) => state.id === node.id) && isInOutline();
  const title = type?.title ?? `Unknown type: ${node.type}`;
  const summary = summaryOf(node);
  const label = labelOf(node);
  const off = node.enabled === false;
  const together = useTogetherWords(node.id);
  const spoken = [
    label,
    title.toLowerCase(),
    off ? "disabled" : "",
    overlay ? seenWords(overlay) : "",
    counted(errors, "error"),
    counted(warnings, "warning"),
    together,
    `step ${place} of ${total}`,
  ];
  return (
    <Row {...rest} row={row} label={spoken.filter(Boolean).join(", ")} off={off}>
      <NodeIcon type={node.type} category={type?.category} />
      <span className="outline-text">
        {renaming ? (
          <NameField
            key={node.id}
            className="outline-rename"
            name={label}
            onClick={(event) => event.stopPropagation()}
          />
        ) : (
          <span className="outline-name">{label}</span>
        )}
        <span className="outline-kind">{summary ? `${title} · ${summary}` : title}</span>
        {overlay?.value || overlay?.earlier ? (
          <span className="outline-kind outline-value">
            <StateLine overlay={overlay} />
          </span>
        ) : null}
        {problem ? (
          <span className={errors ? "outline-problem outline-error" : "outline-problem"}>{problem}</span>
        ) : null}
      </span>
      <PinMark node={node.id} />
      <TogetherMarks node={node.id} />
      {overlay ? <Mark mark={overlay.status} text={stateWords(overlay)} /> : null}
      {errors ? <Mark mark="failed" text={String(errors)} /> : null}
      {warnings && !errors ? <Mark mark="warned" text={String(warnings)} /> : null}
    </Row>
  );
}

function useTogetherWords(id: string): string {
  const comments = useOpenComments(id);
  const others = useOthersAt(id);
  const pinned = usePin(id) !== undefined;
  return [pinned ? "output pinned" : "", counted(comments, "open comment"), ...others.map((name) => `${name} is here`)]
    .filter(Boolean)
    .join(", ");
}

function Mark({ mark, text }: { mark: string; text: string }) {
  return (
    <span className={`outline-state badge-${mark}`}>
      <MarkIcon mark={mark === "blocked" ? "skipped" : mark} /> {text}
    </span>
  );
}

function firstProblem(problems: ReturnType<typeof useProblems.getState>["problems"], id: string): string | undefined {
  const own = problems.filter((one) => one.node === id);
  return (own.find((one) => one.severity === "error") ?? own[0])?.message;
}

const counted = (count: number, word: string) => (count ? `${count} ${word}${count === 1 ? "" : "s"}` : "");

export default memo(NodeLine);
