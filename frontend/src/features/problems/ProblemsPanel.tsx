// The list of what the server's checks found: each row leads to its field, and mends what one evident edit mends.

import { useId, useLayoutEffect, useState } from "react";
import type { Problem } from "~/api/flows";
import { type FlowDocument, findEdge, findNode, labelOf } from "~/graph/document";
import { fixOf } from "~/graph/fixes";
import { fieldWords, messageAt, placeOf } from "~/graph/places";
import { useCommands } from "~/store/commands";
import { useEditor } from "~/store/editor";
import { PROBLEMS_HEIGHT, usePanels } from "~/store/panels";
import { useProblems } from "~/store/problems";
import { IconButton } from "~/ui/Rows";
import { Splitter } from "~/ui/Splitter";
import { goTo, PROBLEM_COMMANDS } from "./commands";
import Why from "./Why";
import "./problems.css";

export default function ProblemsPanel() {
  const isOpen = usePanels((state) => state.problemsOpen);
  const height = usePanels((state) => state.problemsHeight);
  useLayoutEffect(() => useCommands.getState().add(PROBLEM_COMMANDS), []);
  const { toggleProblems, resizeProblems } = usePanels.getState();
  return (
    <section className="problems" aria-label="Problems" data-region style={isOpen ? { height } : undefined}>
      {isOpen ? (
        <Splitter
          label="Height of the list of problems"
          orientation="horizontal"
          size={height}
          {...PROBLEMS_HEIGHT}
          onResize={resizeProblems}
        />
      ) : null}
      <div className="problems-head">
        <button type="button" className="problems-toggle" aria-expanded={isOpen} onClick={() => toggleProblems()}>
          <Summary />
        </button>
        {isOpen ? (
          <IconButton label="Close the list of problems" onClick={() => toggleProblems(false)}>
            ×
          </IconButton>
        ) : null}
      </div>
      {isOpen ? <List /> : null}
    </section>
  );
}

/** How the flow stands, in a few words; read out when it changes. */
function Summary() {
  const { errors, warnings } = useProblems((state) => state.total);
  const status = useProblems((state) => state.status);
  const found = [many(errors, "error"), many(warnings, "warning")].filter((text) => text !== "").join(", ");
  return (
    <>
      Problems{" "}
      <span className={errors ? "problems-count problems-count-error" : "problems-count"} role="status">
        {status === "failed" ? "not checked: the server cannot be reached" : found || "none"}
      </span>
    </>
  );
}

function many(count: number, noun: string): string {
  return count === 0 ? "" : count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function List() {
  const problems = useProblems((state) => state.problems);
  const checked = useProblems((state) => state.checked);
  const document = useEditor((state) => state.document);
  if (!checked || !problems.length) return <p className="problems-none">Nothing to mend.</p>;
  const ordered = [...problems].sort((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
  return (
    <ul className="problems-list">
      {ordered.map((problem) => (
        <Row key={keyOf(problem)} problem={problem} checked={checked} document={document} />
      ))}
    </ul>
  );
}

function keyOf({ code, path, message }: Problem): string {
  return `${code} ${path} ${message}`;
}

function Row({ problem, checked, document }: { problem: Problem; checked: FlowDocument; document: FlowDocument }) {
  const readOnly = useEditor((state) => state.readOnly);
  const [why, setWhy] = useState(false);
  const id = useId();
  // A fix is made for the document that was checked; while another is being checked, none is offered.
  const fix = readOnly || checked !== document ? null : fixOf(document, problem);
  return (
    <li className={`problem problem-${problem.severity}`}>
      <span className="problem-mark">{problem.severity === "error" ? "Error" : "Warning"}</span>
      <span className="problem-text">
        <strong>{whereOf(problem, checked)}</strong> {messageAt(problem)} {problem.hint ?? ""}
      </span>
      <span className="problem-buttons">
        {fix ? (
          <button
            type="button"
            className="quiet-button"
            onClick={() => useEditor.getState().apply(fix.label, fix.edit)}
          >
            {fix.label}
          </button>
        ) : null}
        <button
          type="button"
          className="quiet-button"
          aria-expanded={why}
          aria-controls={id}
          onClick={() => setWhy(!why)}
        >
          Why?
          <span className="visually-hidden"> {whereOf(problem, checked)}</span>
        </button>
        <button type="button" className="quiet-button" onClick={() => goTo(problem)}>
          Go to
          <span className="visually-hidden"> {whereOf(problem, checked)}</span>
        </button>
      </span>
      <div id={id} className="problem-more">
        {why ? <Why code={problem.code} /> : null}
      </div>
    </li>
  );
}

/** Node and field in words. */
function whereOf(problem: Problem, document: FlowDocument): string {
  const { place, pointer } = placeOf(document, problem);
  const field = fieldWords(pointer);
  const what =
    place.kind === "node"
      ? labelOf(findNode(document, place.id) ?? { id: place.id })
      : place.kind === "edge"
        ? edgeWords(document, place.id)
        : "Flow";
  return field ? `${what} · ${field}:` : `${what}:`;
}

function edgeWords(document: FlowDocument, id: string): string {
  const edge = findEdge(document, id);
  return edge ? `${edge.source} → ${edge.target}` : id;
}
