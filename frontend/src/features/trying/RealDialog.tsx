// A try for real: names what will be called before anything is, and starts it.
import { useEffect, useState } from "react";
import { simulateTry, startTry, type Tried, type TryCall } from "~/api/trying";
import { type FlowDocument, findNode, type JsonObject, labelOf } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { useSaving } from "~/store/saving";
import { namesOf, useTrying } from "~/store/trying";
import Dialog from "~/ui/Dialog";
import { follow } from "./following";
import Inputs from "./Inputs";
import { Missing } from "./NeedsDialog";
import { callerWords, callWords, stoodInWords } from "./words";
import "./trying.css";

export default function RealDialog({ flow, nodes }: { flow: string; nodes: readonly string[] }) {
  const document = useEditor((state) => state.document);
  const { close } = useTrying.getState();
  const [inputs, setInputs] = useState<JsonObject | undefined>(undefined);
  const [plan, setPlan] = useState<Tried | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [isFaulty, setFaulty] = useState(false);
  const [key] = useState(() => crypto.randomUUID());

  useEffect(() => {
    let gone = false;
    setPlan(null);
    simulateTry(flow, document, { nodes, ...(inputs ? { inputs } : {}) }, true)
      .then((found) => {
        if (gone) return;
        setFailure(null);
        setPlan(found);
      })
      .catch((error: Error) => {
        if (!gone) setFailure(error.message);
      });
    return () => {
      gone = true;
    };
  }, [flow, document, nodes, inputs]);

  async function start(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      if (!(await useSaving.getState().flush())) throw new Error("The draft is not saved, so it cannot be tried yet.");
      const asked = { nodes, ...(plan?.run ? { run: plan.run } : {}), ...(inputs ? { inputs } : {}) };
      const run = await startTry(flow, asked, useSaving.getState().revision, key);
      close();
      follow(flow, run.id);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  }

  const ready = plan !== null && !plan.told && !isFaulty;
  return (
    <Dialog
      title={`Try ${namesOf(document, nodes)} for real`}
      onClose={close}
      actions={
        <>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="button" className="primary" disabled={!ready || busy} onClick={() => void start()}>
            Try it for real
          </button>
        </>
      }
    >
      {failure ? (
        <p role="alert" className="errors">
          {failure}
        </p>
      ) : null}
      {plan ? (
        <Plan plan={plan} document={document} nodes={nodes} />
      ) : failure ? null : (
        <p className="quiet">Looking…</p>
      )}
      <Inputs value={inputs} onChange={setInputs} onFault={setFaulty} open={failure !== null && plan === null} />
    </Dialog>
  );
}

interface PlanProps {
  plan: Tried;
  document: FlowDocument;
  nodes: readonly string[];
}

function Plan({ plan, document, nodes }: PlanProps) {
  if (plan.told) return <Missing tried={plan} />;
  const name = (id: string) => labelOf(findNode(document, id) ?? { id });
  const before = plan.steps.filter((step) => step.source && !nodes.includes(step.node));
  return (
    <>
      <Calls words="This will happen:" calls={plan.calls.filter((call) => call.sure)} />
      <Calls
        words={
          plan.calls.some((call) => call.sure)
            ? "As it goes on, this may be called too, also more than once:"
            : "This may be called, also more than once:"
        }
        calls={plan.calls.filter((call) => !call.sure)}
      />
      {plan.calls.length ? null : <p>Nothing is called: the step works out its result by itself.</p>}
      {before.length ? (
        <p className="quiet">
          Nothing before it runs again. What stands in:{" "}
          {before.map((step) => `${name(step.node)} (${stoodInWords(step.source)})`).join(", ")}.
        </p>
      ) : null}
      <p className="quiet">It ends behind the step. It is listed as a try, not as a run of a version.</p>
    </>
  );
}

function Calls({ words, calls }: { words: string; calls: readonly TryCall[] }) {
  if (!calls.length) return null;
  return (
    <>
      <p>{words}</p>
      <ul className="try-calls">
        {calls.map((call) => (
          <Call key={call.path} call={call} />
        ))}
      </ul>
    </>
  );
}

function Call({ call }: { call: TryCall }) {
  return (
    <li>
      <strong>{callerWords(call)}</strong> {callWords(call)}.
      {call.value ? (
        <pre className="value">{call.value.covered ? "Covered: it may be sensitive." : call.value.shown}</pre>
      ) : null}
    </li>
  );
}
