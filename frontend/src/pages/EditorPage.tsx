// The editor: reads catalog and draft, then puts its parts on the page. What each part does is the features' matter.
import { useEffect, useState } from "react";
import type { Problem } from "~/api/flows";
import Canvas from "~/features/canvas/Canvas";
import Editing from "~/features/canvas/Editing";
import Commands from "~/features/commands/Commands";
import CommentsPanel from "~/features/comments/CommentsPanel";
import TogetherHead from "~/features/comments/TogetherHead";
import DescriptionDialog from "~/features/explain/DescriptionDialog";
import DescriptionHead from "~/features/explain/DescriptionHead";
import SizeHint from "~/features/explain/SizeHint";
import ExtractDialog from "~/features/extract/ExtractDialog";
import Inspector from "~/features/inspector/Inspector";
import InspectorButtons from "~/features/inspector/InspectorButtons";
import MendDocument from "~/features/mending/MendDocument";
import { showValuesOf } from "~/features/observed/commands";
import ObservedPart from "~/features/observed/ObservedPart";
import ObservedStrip from "~/features/observed/ObservedStrip";
import ValuesButton from "~/features/observed/ValuesButton";
import Outline from "~/features/outline/Outline";
import SurfaceSwitch from "~/features/outline/SurfaceSwitch";
import Palette from "~/features/palette/Palette";
import { goTo as showProblem } from "~/features/problems/commands";
import ProblemsPanel from "~/features/problems/ProblemsPanel";
import PublishDialog from "~/features/publish/PublishDialog";
import ReviewBeforePublish from "~/features/review/ReviewBeforePublish";
import RunStrip from "~/features/runs/RunStrip";
import StartDialog from "~/features/runs/StartDialog";
import ConflictDialog from "~/features/saving/ConflictDialog";
import LeftoverDialog from "~/features/saving/LeftoverDialog";
import BeforePublishing from "~/features/tests/BeforePublishing";
import { publishRefusal } from "~/features/tests/publishing";
import TestsButton from "~/features/tests/TestsButton";
import TestsPanel from "~/features/tests/TestsPanel";
import ImportDialog from "~/features/transfer/ImportDialog";
import Trying from "~/features/trying/Trying";
import TryPart from "~/features/trying/TryPart";
import VersionsDialog from "~/features/versions/VersionsDialog";
import { runOverlay, showsRun, useLiveRun } from "~/nodes/liveRun";
import { observedOverlay } from "~/nodes/observedOverlay";
import { useCatalog } from "~/store/catalog";
import { tell } from "~/store/notices";
import { useObserved } from "~/store/observed";
import { type Surfaces as Shown, usePanels } from "~/store/panels";
import { watchProblems } from "~/store/problems";
import { startSaving, Undrawable, useSaving } from "~/store/saving";
import { useView } from "~/store/view";
import Answers from "./Answers";
import type { Boot } from "./boot";
import EditorHeader, { type DialogName } from "./EditorHeader";
import { useFlowCommands } from "./flowCommands";

/** The draft and the catalog, read once; a sentence where that failed. */
function useOpened(boot: Boot): { ready: boolean; failure: Error | null } {
  const [failure, setFailure] = useState<Error | null>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let end = () => {};
    let gone = false;
    Promise.all([
      useCatalog.getState().load(),
      useSaving.getState().open(boot.flow.id, boot.me, { readOnly: !boot.may.edit }),
    ])
      .then(() => {
        if (gone) return;
        const ends = [startSaving(), watchProblems(boot.flow.id)];
        end = () => {
          for (const stop of ends) stop();
        };
        setReady(true);
      })
      .catch((error: unknown) => setFailure(error instanceof Error ? error : new Error(String(error))));
    return () => {
      gone = true;
      end();
    };
  }, [boot]);
  return { ready, failure };
}

export default function EditorPage({ boot }: { boot: Boot }) {
  const { ready, failure } = useOpened(boot);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  // Somebody has ticked that the draft is published although tests fail.
  const [failing, setFailing] = useState(false);
  const [record, setRecord] = useState<string | null>(() => new URLSearchParams(window.location.search).get("record"));
  useFlowCommands(boot, setDialog);
  const surfaces = usePanels((state) => state.surfaces);
  if (failure instanceof Undrawable)
    return <MendDocument draft={failure.draft} readOnly={!boot.may.edit} onMended={() => window.location.reload()} />;
  if (failure) return <p role="alert">The flow could not be opened: {failure.message} Reload the page to try again.</p>;
  if (!ready) return <p className="quiet editor-opening">Opening the flow…</p>;
  const close = () => {
    setDialog(null);
    setFailing(false);
  };
  const goTo = (problem: Problem) => {
    close();
    showProblem(problem);
  };
  return (
    <div className="editor">
      <EditorHeader boot={boot} onOpen={setDialog}>
        <SizeHint />
        <TogetherHead flow={boot.flow.id} />
        <SurfaceSwitch />
        <InspectorButtons />
        <TestsButton flow={boot.flow.id} />
        <ValuesButton flow={boot.flow.id} />
      </EditorHeader>
      <div className="editor-strips">
        <RunStrip
          onStep={(id) => usePanels.getState().openInspector({ kind: "node", id })}
          onRecord={boot.may.edit ? setRecord : undefined}
          onValues={(run) => showValuesOf(boot.flow.id, run)}
        />
        <ObservedStrip />
      </div>
      <div className={`editor-work${surfaces === "both" ? " editor-work-both" : ""}`}>
        <Palette />
        <Surfaces flow={boot.flow.id} surfaces={surfaces} />
        <Inspector
          flow={boot.flow.id}
          more={
            <>
              <TryPart />
              <ObservedPart />
            </>
          }
        />
        <CommentsPanel />
      </div>
      <Editing />
      <ProblemsPanel />
      <TestsPanel
        flow={boot.flow.id}
        mayEdit={boot.may.edit}
        record={record}
        onRecorded={() => {
          setRecord(null);
          window.history.replaceState(null, "", window.location.pathname);
        }}
      />
      {dialog === "start" && (
        <StartDialog
          flow={boot.flow.id}
          mayRunDraft={boot.may.edit}
          onClose={close}
          onStarted={(run) => {
            close();
            useLiveRun.getState().follow(run);
          }}
        />
      )}
      {dialog === "publish" && (
        <PublishDialog
          flow={boot.flow.id}
          onClose={close}
          onProblem={goTo}
          extra={
            <>
              <ReviewBeforePublish flow={boot.flow.id} />
              <BeforePublishing accepted={failing} onAccept={setFailing} />
            </>
          }
          refusal={() => publishRefusal(failing)}
          onPublished={(version) => {
            close();
            tell(`Version ${version} is published.`);
          }}
        />
      )}
      {dialog === "versions" && <VersionsDialog flow={boot.flow.id} onClose={close} />}
      {dialog === "description" && <DescriptionDialog flow={boot.flow.id} onClose={close} />}
      {dialog === "import" && <ImportDialog flow={boot.flow.id} onClose={close} />}
      <Trying flow={boot.flow.id} mayRun={boot.may.run && boot.may.edit} />
      {dialog === "extract" && <ExtractDialog flow={boot.flow.id} onClose={close} />}
      <Commands />
      <Answers />
      <LeftoverDialog />
      <ConflictDialog />
    </div>
  );
}

/** The canvas, the outline, or both. */
function Surfaces({ flow, surfaces }: { flow: string; surfaces: Shown }) {
  const following = useLiveRun(showsRun);
  const observing = useObserved((state) => state.observed !== null);
  const overlay = following ? runOverlay : observing ? observedOverlay : null;
  return (
    <>
      {surfaces === "canvas" ? null : (
        <section className="editor-outline" aria-label="Outline" data-region>
          <DescriptionHead flow={flow} />
          <Outline overlay={overlay} />
        </section>
      )}
      {surfaces === "outline" ? null : (
        <section
          className="editor-canvas"
          aria-label="Canvas"
          data-region
          onFocusCapture={() => useView.setState({ last: "canvas" })}
        >
          <Canvas overlay={overlay} />
        </section>
      )}
    </>
  );
}
