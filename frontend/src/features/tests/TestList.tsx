// The list of tests: how each one went, where it differed, and what a crash changes.
import { useState } from "react";
import { deleteTest, type TestResult, type TestSummary, testFile } from "~/api/flowTests";
import { useFlowTests } from "~/store/flowTests";
import { speak, tell } from "~/store/notices";
import { useIsStale } from "~/store/observed";
import AskDialog from "~/ui/AskDialog";
import Toolbar from "~/ui/Toolbar";
import Crashes from "./Crashes";
import Differences from "./Differences";
import { showTest } from "./showing";

interface Props {
  mayEdit: boolean;
  onOpen: (id: number) => void;
}

export default function TestList({ mayEdit, onOpen }: Props) {
  const { tests, loaded, results, crashes, document } = useFlowTests();
  const isStale = useIsStale(document);
  if (!loaded) return <p className="tests-none quiet">Reading the tests…</p>;
  if (!tests.length)
    return (
      <div className="tests-none quiet">
        <p>
          A test says what the flow does with given inputs and replies. Run the flow once, then make a test of that run
          with “Record from a run…”, or write one from scratch. Tests run in a simulator: nothing real is called.
        </p>
      </div>
    );
  return (
    <>
      {isStale && <p className="tests-stale">The draft has changed since: run the tests again.</p>}
      <ul className="tests-list">
        {tests.map((test) => (
          <Row
            key={test.id}
            test={test}
            result={results.get(test.id)}
            crash={crashes.get(test.id)}
            mayEdit={mayEdit}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </>
  );
}

interface RowProps extends Props {
  test: TestSummary;
  result: TestResult | undefined;
  crash: Parameters<typeof Crashes>[0]["sum"] | undefined;
}

function Row({ test, result, crash, mayEdit, onOpen }: RowProps) {
  const [asking, setAsking] = useState(false);
  const { flow, work, document } = useFlowTests();
  const isCrashed = useFlowTests((state) => state.crashed !== null && state.crashed === document);
  const remove = async () => {
    try {
      await deleteTest(flow, test.id);
      speak(`The test ${test.name} is deleted.`);
      await useFlowTests.getState().changed();
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error), "refused");
    }
  };
  return (
    <li className="test">
      <div className="test-line">
        <Mark result={result} running={work !== "idle"} />
        <button type="button" className="test-name" onClick={() => onOpen(test.id)}>
          {test.name}
        </button>
        <Toolbar className="test-buttons" label={`What to do with ${test.name}`}>
          <button
            type="button"
            className="quiet-button"
            disabled={work !== "idle"}
            onClick={() => void useFlowTests.getState().run([test.id])}
          >
            Run<span className="visually-hidden"> {test.name}</span>
          </button>
          <button
            type="button"
            className="quiet-button"
            disabled={work !== "idle"}
            onClick={() => void showTest(flow, test.id, test.name)}
          >
            On the canvas<span className="visually-hidden">: {test.name}</span>
          </button>
          <a className="quiet-button" href={testFile(flow, test.id)} download>
            Export<span className="visually-hidden"> {test.name}</span>
          </a>
          {mayEdit && (
            <button type="button" className="quiet-button" onClick={() => setAsking(true)}>
              Delete<span className="visually-hidden"> {test.name}</span>
            </button>
          )}
        </Toolbar>
      </div>
      {result && !result.passed && <Differences result={result} />}
      {crash && <Crashes sum={crash} />}
      {result && !result.passed && isCrashed && (
        <p className="test-crash">
          <span className="mark mark-queued">Not crash-tested</span> It fails without a crash already. Mend it first.
        </p>
      )}
      {asking && (
        <AskDialog
          question={{ title: `Delete the test “${test.name}”?`, text: "It cannot be undone.", confirm: "Delete" }}
          onAnswer={(yes) => {
            setAsking(false);
            if (yes) void remove();
          }}
        />
      )}
    </li>
  );
}

function Mark({ result, running }: { result: TestResult | undefined; running: boolean }) {
  if (!result) return <span className="mark mark-queued test-mark">{running ? "Waiting" : "Not run"}</span>;
  return (
    <span className={`mark test-mark ${result.passed ? "mark-succeeded" : "mark-failed"}`}>
      {result.passed ? "Passed" : "Failed"}
    </span>
  );
}
