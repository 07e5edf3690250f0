// Two versions of a flow, or a version and the draft: what differs as one picture and as a list, positions left out.
import { useEffect, useMemo, useRef, useState } from "react";
import { readDraft } from "~/api/flows";
import { compareVersions, readVersion, readVersions, type VersionDifference } from "~/api/versions";
import FlowView from "~/features/canvas/FlowView";
import ReviewDecision from "~/features/review/ReviewDecision";
import { type FlowDocument, opened } from "~/graph/document";
import { whyNotDrawn } from "~/graph/drawable";
import { unionOf } from "~/graph/union";
import DifferenceList, { counted } from "~/nodes/DifferenceList";
import { marksOf } from "~/nodes/diffMarks";
import { useCatalog } from "~/store/catalog";
import { canvasView } from "~/store/view";

export interface CompareBoot {
  flow: { id: string; name: string };
  before: string;
  after: string;
}

interface Compared {
  union: FlowDocument;
  difference: VersionDifference;
  versions: number[];
}

type Which = number | "draft";

const whichOf = (text: string): Which => (text === "draft" ? "draft" : Number(text));
const wordsOf = (which: string) => (which === "draft" ? "the draft" : `version ${which}`);

async function documentOf(flow: string, which: Which): Promise<FlowDocument> {
  const { document } = which === "draft" ? await readDraft(flow) : await readVersion(flow, which);
  const [fault] = whyNotDrawn(document);
  if (fault) throw new Error(`${wordsOf(String(which))} cannot be drawn. ${fault}`);
  return opened(document);
}

async function readCompared({ flow, before, after }: CompareBoot): Promise<Compared> {
  const [older, newer, difference, versions] = await Promise.all([
    documentOf(flow.id, whichOf(before)),
    documentOf(flow.id, whichOf(after)),
    compareVersions(flow.id, whichOf(before), whichOf(after)),
    readVersions(flow.id),
    useCatalog.getState().load(),
  ]);
  return { union: unionOf(older, newer), difference, versions: versions.map((one) => one.number) };
}

export default function ComparePage({ boot }: { boot: CompareBoot }) {
  const [compared, setCompared] = useState<Compared | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    readCompared(boot)
      .then(setCompared)
      .catch((error: Error) => setFailure(error.message));
  }, [boot]);
  if (failure) return <p role="alert">The versions could not be compared: {failure} Reload the page to try again.</p>;
  if (!compared) return <p className="quiet editor-opening">Reading both…</p>;
  return <Comparison boot={boot} compared={compared} />;
}

function Comparison({ boot, compared: { union, difference, versions } }: { boot: CompareBoot; compared: Compared }) {
  const marks = useMemo(() => marksOf(difference), [difference]);
  const [current, setCurrent] = useState<string | null>(null);
  const list = useRef<HTMLElement>(null);
  const changed = useMemo(() => [...marks.nodes.keys()], [marks]);

  function show(id: string | null): void {
    setCurrent(id);
    if (id) canvasView()?.reveal([id]);
  }

  function step(by: number): void {
    if (!changed.length) return;
    const at = current ? changed.indexOf(current) : -1;
    show(changed[(at + by + changed.length) % changed.length] ?? null);
  }

  return (
    <div className="compare">
      <header className="editor-head">
        <h1 className="visually-hidden">
          {wordsOf(boot.before)} and {wordsOf(boot.after)} of {boot.flow.name || boot.flow.id}
        </h1>
        <nav className="crumbs" aria-label="Path">
          <a href="/flows/">Flows</a> <span>/</span>
          <a href={`/flows/${boot.flow.id}/`}>{boot.flow.name || boot.flow.id}</a> <span>/</span>
          <span>
            {wordsOf(boot.before)} → {wordsOf(boot.after)}
          </span>
        </nav>
        <span>{counted(difference)}</span>
        <form className="editor-head-actions" action={`/flows/${boot.flow.id}/compare/`}>
          <Side name="before" label="From" value={boot.before} versions={versions} />
          <Side name="after" label="to" value={boot.after} versions={versions} />
          <button type="submit">Compare</button>
          <a className="button" href={`/flows/${boot.flow.id}/edit/`}>
            Back to the editor
          </a>
        </form>
      </header>
      <section className="compare-canvas" aria-label="Canvas">
        <FlowView
          label={`${wordsOf(boot.before)} and ${wordsOf(boot.after)}`}
          document={union}
          diff={marks}
          selectedNode={current}
          onSelectNode={setCurrent}
        />
      </section>
      <aside ref={list} className="compare-list" aria-label="What differs">
        {boot.after === "draft" ? <ReviewDecision flow={boot.flow.id} /> : null}
        <div className="compare-steps">
          <button type="button" onClick={() => step(-1)} disabled={!changed.length}>
            Previous
          </button>
          <button type="button" onClick={() => step(1)} disabled={!changed.length}>
            Next
          </button>
        </div>
        <DifferenceList difference={difference} current={current ?? undefined} onNode={show} />
      </aside>
    </div>
  );
}

function Side({ name, label, value, versions }: { name: string; label: string; value: string; versions: number[] }) {
  return (
    <label className="versions-side">
      {label}
      <select name={name} defaultValue={value}>
        {["draft", ...versions.map(String)].map((which) => (
          <option key={which} value={which}>
            {wordsOf(which)}
          </option>
        ))}
      </select>
    </label>
  );
}
