// The tests of the flow at the bottom of the editor: run, crash, mend them, and replay past runs against the draft.
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { KeptTest, Recording, TestContent } from "~/api/flowTests";
import { readTest, recordRun } from "~/api/flowTests";
import type { FlowDocument } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { useFlowTests } from "~/store/flowTests";
import { speak, tell } from "~/store/notices";
import { TESTS_HEIGHT, usePanels } from "~/store/panels";
import { IconButton } from "~/ui/Rows";
import { Segmented } from "~/ui/Segmented";
import { Splitter } from "~/ui/Splitter";
import ImportTest from "./ImportTest";
import PastRuns from "./PastRuns";
import { BLOCKING_KEY, testsBlock } from "./publishing";
import RecordMenu from "./RecordMenu";
import TestList from "./TestList";
import { summary } from "./words";
import "./tests.css";

const TestDialog = lazy(() => import("./TestDialog"));

/** What the dialog is about: a kept test, one made of a run, or a new one. */
export type Opened = { kept: KeptTest } | { recording: Recording } | { content: TestContent };

interface Props {
  flow: string;
  mayEdit: boolean;
  /** Id of a run of which a test is to be made at once; null: of none. */
  record: string | null;
  onRecorded: () => void;
}

export default function TestsPanel({ flow, mayEdit, record, onRecorded }: Props) {
  const isOpen = usePanels((state) => state.testsOpen);
  const height = usePanels((state) => state.testsHeight);
  const [tab, setTab] = useState<"tests" | "past">("tests");
  const [opened, setOpened] = useState<Opened | null>(null);
  const recorded = useRef<string | null>(null);
  useSpokenResults();

  const makeOf = (run: string) => {
    usePanels.getState().toggleTests(true);
    setTab("tests");
    recordRun(run)
      .then((recording) => setOpened({ recording }))
      .catch((error: Error) => tell(error.message, "refused"));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each wish is taken once
  useEffect(() => {
    if (!record) recorded.current = null;
    if (!record || recorded.current === record) return;
    recorded.current = record;
    onRecorded();
    makeOf(record);
  }, [record]);

  const open = (id: number) => {
    readTest(flow, id)
      .then((kept) => setOpened({ kept }))
      .catch((error: Error) => tell(error.message, "refused"));
  };
  const dialog = opened && (
    <Suspense fallback={null}>
      <TestDialog flow={flow} opened={opened} mayEdit={mayEdit} onClose={() => setOpened(null)} />
    </Suspense>
  );
  if (!isOpen) return dialog;
  const { resizeTests, toggleTests } = usePanels.getState();
  return (
    <section className="tests" aria-label="Tests" data-region style={{ height }}>
      <Splitter
        label="Height of the tests"
        orientation="horizontal"
        size={height}
        {...TESTS_HEIGHT}
        onResize={resizeTests}
      />
      <div className="tests-head">
        <h2>Tests</h2>
        <Segmented<"tests" | "past">
          label="What is tested"
          small
          options={[
            { value: "tests", label: "Tests" },
            { value: "past", label: "Past runs" },
          ]}
          value={tab}
          onChange={setTab}
        />
        {tab === "tests" ? (
          <>
            <Actions />
            {mayEdit && (
              <span className="tests-make">
                <RecordMenu flow={flow} onRun={makeOf} />
                <button type="button" className="quiet-button" onClick={() => setOpened({ content: newTest() })}>
                  New test
                </button>
                <ImportTest onTest={(content) => setOpened({ content })} />
                <Blocking />
              </span>
            )}
          </>
        ) : null}
        <span className="tests-close">
          <IconButton label="Close the tests" onClick={() => toggleTests(false)}>
            ×
          </IconButton>
        </span>
      </div>
      <Failure />
      {tab === "tests" ? <TestList mayEdit={mayEdit} onOpen={open} /> : <PastRuns />}
      {dialog}
    </section>
  );
}

function newTest(): TestContent {
  const names = new Set(useFlowTests.getState().tests.map((one) => one.name));
  let number = 1;
  while (names.has(`Test ${number}`)) number += 1;
  return { name: `Test ${number}`, inputs: {}, replies: {}, expect: { status: "succeeded" } };
}

function Actions() {
  const { tests, work, results } = useFlowTests();
  const idle = work === "idle";
  const stands = summary([...results.values()], tests.length);
  return (
    <>
      <span className="tests-summary">{stands}</span>
      {idle ? (
        <>
          <button
            type="button"
            className="quiet-button"
            disabled={!tests.length}
            onClick={() => void useFlowTests.getState().run()}
          >
            Run all
          </button>
          <button
            type="button"
            className="quiet-button"
            disabled={!tests.length}
            title="Runs every test with the process killed at each boundary, and resumed from what was stored"
            onClick={() => void useFlowTests.getState().crash()}
          >
            Crash-test this flow
          </button>
        </>
      ) : (
        <button type="button" className="quiet-button" onClick={() => useFlowTests.getState().stop()}>
          Stop
        </button>
      )}
    </>
  );
}

/** Whether failing tests only warn before publishing, or stop it: a part of the draft. */
function Blocking() {
  const blocks = useEditor((state) => testsBlock(state.document));
  const change = () =>
    useEditor.getState().apply(blocks ? "Let failing tests warn" : "Let failing tests stop publishing", (document) => {
      const { [BLOCKING_KEY]: _, ...others } = document as FlowDocument & Record<string, unknown>;
      return (blocks ? others : { ...document, [BLOCKING_KEY]: "block" }) as FlowDocument;
    });
  return (
    <label className="tests-blocking">
      <input type="checkbox" checked={blocks} onChange={change} /> Failing tests stop publishing
    </label>
  );
}

function Failure() {
  const failure = useFlowTests((state) => state.failure);
  return failure ? (
    <p role="alert" className="errors tests-failure">
      {failure}
    </p>
  ) : null;
}

/** Read out how the tests went once they have run. */
function useSpokenResults() {
  const work = useFlowTests((state) => state.work);
  const before = useRef(work);
  useEffect(() => {
    const { results, tests, crashes, failure } = useFlowTests.getState();
    const ended = before.current;
    before.current = work;
    if (work !== "idle" || failure) return;
    if (ended === "tests") speak(`Tests: ${summary([...results.values()], tests.length)}.`);
    if (ended === "crash") {
      const broken = [...crashes.values()].filter((one) => one.broken.length).length;
      const failed = [...results.values()].filter((one) => !one.passed).length;
      const left = failed ? ` Not crash-tested, since they fail already: ${failed}.` : "";
      const told = broken
        ? `A crash changes ${broken} tests.`
        : `${crashes.size} tests survived a crash at every boundary.`;
      speak(told + left);
    }
    if (ended === "replay") speak("The past runs have been replayed.");
  }, [work]);
}
