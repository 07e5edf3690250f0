// Starting a run from the editor: of the draft as it is now, or of a published version, with inputs and a preset.
import { useEffect, useId, useMemo, useState } from "react";
import { ApiError } from "~/api/client";
import { startRun } from "~/api/runs";
import { readVersion, readVersions } from "~/api/versions";
import type { Input, Json, Preset } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { useSaving } from "~/store/saving";
import Dialog from "~/ui/Dialog";
import InputField from "./InputField";
import { initialTyped, readTyped, type Typed } from "./inputValues";

interface Startable {
  inputs: readonly Input[];
  presets: readonly Preset[];
}

interface Props {
  flow: string;
  mayRunDraft: boolean;
  onClose: () => void;
  onStarted: (run: string) => void;
}

/** What was started with last in this browser, so that trying again needs no typing. */
function lastInputs(flow: string): { [name: string]: Json } {
  try {
    return JSON.parse(localStorage.getItem(`flowsite-inputs/${flow}`) ?? "{}");
  } catch {
    return {};
  }
}

export default function StartDialog({ flow, mayRunDraft, onClose, onStarted }: Props) {
  const draft = useEditor((state) => state.document);
  const [newest, setNewest] = useState<number | null>(null);
  const [which, setWhich] = useState<number | "draft">("draft");
  const [published, setPublished] = useState<Startable | null>(null);
  const about: Startable = useMemo(
    () =>
      which === "draft"
        ? { inputs: draft.inputs ?? [], presets: draft.presets ?? [] }
        : (published ?? { inputs: [], presets: [] }),
    [which, draft, published],
  );
  const [typed, setTyped] = useState<Typed>(() => initialTyped(draft.inputs ?? [], lastInputs(flow)));
  const [preset, setPreset] = useState("");
  const [problems, setProblems] = useState<{ [name: string]: string }>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [key] = useState(() => crypto.randomUUID());
  const choice = useId();

  useEffect(() => {
    void readVersions(flow).then(async ([first]) => {
      if (!first) return;
      const { document } = await readVersion(flow, first.number);
      setPublished({ inputs: document.inputs ?? [], presets: document.presets ?? [] });
      setNewest(first.number);
      if (!mayRunDraft) setWhich(first.number);
    });
  }, [flow, mayRunDraft]);

  async function start(): Promise<void> {
    const read = readTyped(about.inputs, typed);
    setProblems(read.problems);
    if (Object.keys(read.problems).length) return;
    setBusy(true);
    setFailure(null);
    try {
      if (which === "draft" && !(await useSaving.getState().flush()))
        throw new Error("The draft is not saved, so it cannot be run yet.");
      const run = await startRun({ flow, version: which, inputs: read.values, ...(preset ? { preset } : {}) }, key);
      remember(flow, about.inputs, read.values);
      onStarted(run.id);
    } catch (error) {
      setProblems(error instanceof ApiError ? problemsOf(error) : {});
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  }

  const actions = (
    <>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" form={`${choice}-form`} className="primary" disabled={busy}>
        {busy ? "Starting…" : "Start"}
      </button>
    </>
  );
  return (
    <Dialog title="Start a run" actions={actions} onClose={onClose}>
      <form
        id={`${choice}-form`}
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        {failure && (
          <p role="alert" className="errors">
            {failure}
          </p>
        )}
        {newest !== null && mayRunDraft && (
          <fieldset>
            <legend>What to run</legend>
            <div className="choices">
              <label>
                <input type="radio" name={choice} checked={which === "draft"} onChange={() => setWhich("draft")} />
                The draft as it is now, as a trial
              </label>
              <label>
                <input type="radio" name={choice} checked={which !== "draft"} onChange={() => setWhich(newest)} />
                Version {newest}
              </label>
            </div>
          </fieldset>
        )}
        {about.inputs.map((input) => (
          <InputField
            key={input.name}
            input={input}
            value={typed[input.name] ?? (input.type === "boolean" ? false : "")}
            problem={problems[input.name]}
            onChange={(value) => setTyped({ ...typed, [input.name]: value })}
          />
        ))}
        {about.presets.length > 0 && (
          <div className="field">
            <label htmlFor={`${choice}-preset`}>Preset</label>
            <select id={`${choice}-preset`} value={preset} onChange={(event) => setPreset(event.target.value)}>
              <option value="">None: the flow's own policy</option>
              {about.presets.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name || one.id}
                </option>
              ))}
            </select>
          </div>
        )}
        <p className="help">A run does real work: its tools are called, reviewers are asked.</p>
      </form>
    </Dialog>
  );
}

/** Sensitive inputs are not kept in the browser. */
function remember(flow: string, inputs: readonly Input[], values: { [name: string]: Json }): void {
  const sensitive = new Set(inputs.filter((one) => one.sensitive).map((one) => one.name));
  const kept = Object.entries(values).filter(([name]) => !sensitive.has(name));
  try {
    localStorage.setItem(`flowsite-inputs/${flow}`, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // A browser that keeps nothing only means typing again.
  }
}

/** The server's findings about inputs, each at its field. */
function problemsOf(error: ApiError): { [name: string]: string } {
  const { problems = [] } = (error.details ?? {}) as { problems?: { path?: string; message: string }[] };
  const found = problems.map(({ path = "", message }) => [path.split("/").at(-1) ?? "", message] as const);
  return Object.fromEntries(found.filter(([name]) => name));
}
