// The run over time: one row for each visit of a step, one block for each attempt, back-off and wait.
import { useEffect, useMemo, useState } from "react";
import type { RunEvent } from "~/api/runs";
import { type FlowDocument, findNode, labelOf } from "~/graph/document";
import { MARK_WORDS } from "~/nodes/overlay";
import { type Block, spanOf, timelineOf } from "~/nodes/runHistory";
import { markOfEvent } from "~/nodes/runProjection";

const ROWS_SHOWN = 300;

interface Props {
  document: FlowDocument;
  events: readonly RunEvent[];
  /** How many of the events count. */
  count: number;
  node: string | null;
  onNode: (node: string, seq: number) => void;
}

export default function Timeline({ document, events, count, node, onNode }: Props) {
  const rows = useMemo(() => timelineOf(events.slice(0, count), markOfEvent), [events, count]);
  const newest = events[count - 1];
  const now = useNow(newest?.ts ?? 0, count === events.length && !ENDS.has(newest?.type ?? ""));
  const [first, last] = spanOf(rows, now);
  const percent = (at: number) => ((at - first) * 100) / (last - first);
  return (
    <div className="timeline">
      <ol className="timeline-rows" aria-label={`Timeline over ${durationWords(last - first)}`}>
        {rows.slice(0, ROWS_SHOWN).map((row) => (
          <li key={row.key} className="timeline-row" aria-current={row.node === node ? "true" : undefined}>
            <span className="timeline-name" title={row.path}>
              {labelOf(findNode(document, row.node) ?? { id: row.node })}
              {row.path !== row.node && <span className="quiet"> {row.path}</span>}
              {row.visit > 1 && <span className="quiet"> visit {row.visit}</span>}
            </span>
            <span className="timeline-track">
              {row.blocks.map((block) => (
                <button
                  key={`${block.seq}${block.kind}`}
                  type="button"
                  className="timeline-block"
                  data-kind={block.kind}
                  data-mark={block.mark}
                  style={{
                    left: `${percent(block.from)}%`,
                    width: `${Math.max(percent(block.to ?? now) - percent(block.from), 0.4)}%`,
                  }}
                  aria-label={wordsOf(block, now)}
                  title={wordsOf(block, now)}
                  onClick={() => onNode(row.node, block.seq)}
                />
              ))}
            </span>
          </li>
        ))}
      </ol>
      {rows.length > ROWS_SHOWN && (
        <p className="quiet">
          The first {ROWS_SHOWN} of {rows.length} rows. The table of steps below has all.
        </p>
      )}
    </div>
  );
}

const ENDS = new Set(["flow-complete", "flow-error", "flow-canceled"]);

/** The time up to which what goes on is drawn: that of the newest event; of a run that lives, the clock's. */
function useNow(newest: number, lives: boolean): number {
  const [clock, setClock] = useState(Date.now);
  useEffect(() => {
    if (!lives) return;
    const timer = setInterval(() => setClock(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [lives]);
  return lives ? Math.max(newest, clock) : newest;
}

function wordsOf(block: Block, now: number): string {
  const took = durationWords((block.to ?? now) - block.from);
  if (block.kind === "backoff") return `Waits to try again: ${took}`;
  if (block.kind === "wait") return `${MARK_WORDS[block.mark]}: ${took}`;
  return `Attempt ${block.attempt}, ${MARK_WORDS[block.mark].toLowerCase()}: ${took}`;
}

export function durationWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}
