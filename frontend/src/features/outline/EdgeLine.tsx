// The row of an edge below the node that it leaves: when it is taken, and where it leads.
import { memo } from "react";
import type { EdgeRow } from "~/graph/outline";
import { useEdgeOverlay } from "~/nodes/layers";
import { valueWords } from "~/nodes/overlay";
import { useProblems } from "~/store/problems";
import Row, { type RowProps } from "./Row";

type Props = Omit<RowProps, "label" | "row" | "children"> & { row: EdgeRow };

function EdgeLine({ row, ...rest }: Props) {
  const counts = useProblems((state) => state.byEdge.get(row.id));
  const overlay = useEdgeOverlay(row.id);
  const taken = overlay?.count;
  const value = overlay?.value ? valueWords(overlay.value) : "";
  const problems = (counts?.errors ?? 0) + (counts?.warnings ?? 0);
  const said = [
    `${row.when}: to ${row.target}`,
    "edge",
    problems ? `${problems} ${problems === 1 ? "problem" : "problems"}` : "",
    taken ? `taken ${taken === 1 ? "once" : `${taken} times`}${value ? ` with ${value}` : ""}` : "",
  ];
  return (
    <Row {...rest} row={row} label={said.filter(Boolean).join(", ")}>
      <span className="outline-when">{row.when}</span>
      <span className="outline-arrow" aria-hidden="true">
        →
      </span>
      <span className="outline-text">{row.target}</span>
      {value ? <span className="outline-value">{value}</span> : null}
      {taken ? <span className="outline-state">{taken}×</span> : null}
      {problems ? <span className="outline-state badge-failed">{problems}</span> : null}
    </Row>
  );
}

export default memo(EdgeLine);
