// Publishing: what the checks find, what changes against the last version, who stays on older ones, and a note.
import { type ReactNode, useEffect, useState } from "react";
import { ApiError } from "~/api/client";
import { checkDocument, type Problem } from "~/api/flows";
import {
  compareVersions,
  type OpenRuns,
  publishDraft,
  readOpenRuns,
  readVersions,
  type VersionDifference,
} from "~/api/versions";
import DifferenceList, { counted } from "~/nodes/DifferenceList";
import { useEditor } from "~/store/editor";
import { useSaving } from "~/store/saving";
import Dialog from "~/ui/Dialog";

interface Facts {
  problems: Problem[];
  /** Number of the newest version; 0: this is the first. */
  newest: number;
  difference: VersionDifference | null;
  openRuns: OpenRuns[];
}

interface Props {
  flow: string;
  onClose: () => void;
  onPublished: (version: number) => void;
  onProblem: (problem: Problem) => void;
  /** What else is looked at before publishing, such as tests. */
  extra?: ReactNode;
  /** Why that stands in the way, in a sentence; null: it does not. */
  refusal?: () => string | null;
}

async function readFacts(flow: string): Promise<Facts> {
  if (!(await useSaving.getState().flush())) throw new Error("The draft is not saved. Save it first, then publish.");
  const [{ problems }, versions, openRuns] = await Promise.all([
    checkDocument(flow, useEditor.getState().document),
    readVersions(flow),
    readOpenRuns(flow),
  ]);
  const newest = versions[0]?.number ?? 0;
  return { problems, newest, openRuns, difference: newest ? await compareVersions(flow, newest, "draft") : null };
}

export default function PublishDialog({ flow, onClose, onPublished, onProblem, extra, refusal }: Props) {
  const [facts, setFacts] = useState<Facts | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [note, setNote] = useState("");
  const [noteMissing, setNoteMissing] = useState(false);
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [isOut, setIsOut] = useState(false); // somebody else has published this very draft

  useEffect(() => {
    readFacts(flow)
      .then(setFacts)
      .catch((error: unknown) => setFailure(String(error instanceof Error ? error.message : error)));
  }, [flow]);

  const errors = facts?.problems.filter((one) => one.severity === "error") ?? [];
  const warnings = facts?.problems.filter((one) => one.severity === "warning") ?? [];
  const open = warnings.filter((one) => !accepted.has(keyOf(one)));

  async function publish(): Promise<void> {
    if (!note.trim()) {
      setNoteMissing(true);
      document.getElementById("publish-note")?.focus();
      return;
    }
    if (open.length) {
      setFailure(`Tick each warning that you accept: ${open.length} left.`);
      return;
    }
    const refused = refusal?.() ?? null;
    if (refused) {
      setFailure(refused);
      return;
    }
    setBusy(true);
    try {
      const looked = { revision: useSaving.getState().revision, newest: facts?.newest ?? 0 };
      onPublished((await publishDraft(flow, note.trim(), looked)).number);
    } catch (error) {
      setFailure(wordsOf(error));
      // What is shown below is then about the version that somebody else has published.
      if (isSecond(error)) {
        setIsOut(Boolean(Object(error.details).same));
        await readFacts(flow).then(setFacts, () => undefined);
      }
      setBusy(false);
    }
  }

  const actions = (
    <>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button
        type="button"
        className="primary"
        onClick={() => void publish()}
        disabled={!facts || busy || errors.length > 0 || isOut}
      >
        {busy ? "Publishing…" : facts ? `Publish version ${facts.newest + 1}` : "Publish"}
      </button>
    </>
  );
  return (
    <Dialog title={facts ? `Publish version ${facts.newest + 1}` : "Publish"} actions={actions} onClose={onClose} wide>
      {failure && (
        <p role="alert" className="errors">
          {failure}
        </p>
      )}
      {!facts && !failure && <p className="quiet">Saving the draft and checking it…</p>}
      {facts && (
        <>
          <Found errors={errors} warnings={warnings} accepted={accepted} onAccept={setAccepted} onProblem={onProblem} />
          <h3>What changes</h3>
          {facts.difference ? (
            <details className="publish-part">
              <summary>
                Against version {facts.newest}: {counted(facts.difference)}
              </summary>
              <DifferenceList difference={facts.difference} />
            </details>
          ) : (
            <p>This is the first version.</p>
          )}
          {extra}
          <Staying runs={facts.openRuns} />
          <label className="publish-note" htmlFor="publish-note">
            What is new (needed; everybody reads it in the list of versions)
          </label>
          <textarea
            id="publish-note"
            value={note}
            maxLength={10_000}
            aria-invalid={noteMissing}
            aria-describedby={noteMissing ? "publish-note-missing" : undefined}
            onChange={(event) => {
              setNote(event.target.value);
              setNoteMissing(false);
            }}
          />
          {noteMissing && (
            <p id="publish-note-missing" className="errors">
              Say in a few words what is new.
            </p>
          )}
          <p className="help">
            A version never changes. Whoever may run this flow starts the newest version from now on.
          </p>
        </>
      )}
    </Dialog>
  );
}

/** Somebody published while this dialog was open; the server's words say which version and who. */
function isSecond(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "revision_conflict" && "number" in Object(error.details);
}

function wordsOf(error: unknown): string {
  const isNewer = error instanceof ApiError && error.code === "revision_conflict" && !isSecond(error);
  if (isNewer) return "Somebody has saved the draft since you looked. Close this and look at it again.";
  return error instanceof Error ? error.message : String(error);
}

function keyOf(problem: Problem): string {
  return `${problem.code} ${problem.path} ${problem.message}`;
}

/** Versions are bound to their runs: publishing moves nobody. */
function Staying({ runs }: { runs: OpenRuns[] }) {
  const open = runs.filter((one) => one.version !== null && one.open > 0);
  if (!open.length) return null;
  const told = open.map((one) => `${one.open} on version ${one.version}`).join(", ");
  return <p>Runs that have not ended stay on the version that they began with: {told}.</p>;
}

interface FoundProps {
  errors: Problem[];
  warnings: Problem[];
  accepted: ReadonlySet<string>;
  onAccept: (accepted: ReadonlySet<string>) => void;
  onProblem: (problem: Problem) => void;
}

function Found({ errors, warnings, accepted, onAccept, onProblem }: FoundProps) {
  if (!errors.length && !warnings.length) return <p>The checks find nothing.</p>;
  const toggle = (key: string) => {
    const next = new Set(accepted);
    if (!next.delete(key)) next.add(key);
    onAccept(next);
  };
  return (
    <>
      {errors.length > 0 && (
        <>
          <h3>{errors.length === 1 ? "One error must" : `${errors.length} errors must`} be mended first</h3>
          <ul className="publish-problems">
            {errors.map((one) => (
              <li key={keyOf(one)}>
                <span>{one.message}</span>
                <button type="button" aria-label={`Go to: ${one.message.slice(0, 80)}`} onClick={() => onProblem(one)}>
                  Go to
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {warnings.length > 0 && (
        <fieldset>
          <legend>{warnings.length === 1 ? "One warning" : `${warnings.length} warnings`}: tick what you accept</legend>
          {warnings.map((one) => (
            <label key={keyOf(one)} className="publish-warning">
              <input type="checkbox" checked={accepted.has(keyOf(one))} onChange={() => toggle(keyOf(one))} />
              <span>{one.message}</span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
