// What the tests and past runs say about a draft that is about to be published: run as the dialog opens.
import { useEffect } from "react";
import { useEditor } from "~/store/editor";
import { counts, useFlowTests } from "~/store/flowTests";
import Differences from "./Differences";
import { ReplayReport } from "./PastRuns";
import { testsBlock } from "./publishing";
import { many, summary } from "./words";

interface Props {
  accepted: boolean;
  onAccept: (accepted: boolean) => void;
}

export default function BeforePublishing({ accepted, onAccept }: Props) {
  const { tests, results, work, failure } = useFlowTests();
  const blocks = useEditor((state) => testsBlock(state.document));
  useEffect(() => {
    if (useFlowTests.getState().tests.length) void useFlowTests.getState().run();
  }, []);
  const failing = [...results.values()].filter((one) => !one.passed);
  const { failed } = counts(results);
  return (
    <>
      <h3>Tests</h3>
      <p role="status">
        {tests.length ? (
          <span className={`mark mark-${work === "tests" ? "running" : failed ? "failed" : "succeeded"}`}>
            {work === "tests" ? "Running the tests…" : summary([...results.values()], tests.length)}
          </span>
        ) : (
          "The flow has no tests."
        )}
      </p>
      {failure && <p className="errors">{failure}</p>}
      {failing.map((result) => (
        <details key={result.test} className="publish-part">
          <summary>{result.name}</summary>
          <Differences result={result} />
        </details>
      ))}
      {failed > 0 && blocks && <p>Failing tests stop publishing this flow, as its setting says.</p>}
      {failed > 0 && !blocks && (
        <label className="publish-warning">
          <input type="checkbox" checked={accepted} onChange={() => onAccept(!accepted)} />
          <span>
            Publish although {many(failed, "test")} {failed === 1 ? "fails" : "fail"}
          </span>
        </label>
      )}
      <h3>Past runs</h3>
      <ReplayReport />
      <p>
        <button type="button" disabled={work !== "idle"} onClick={() => void useFlowTests.getState().replayPast(25)}>
          Replay the newest 25 runs against this draft
        </button>
      </p>
    </>
  );
}
