// One test while it is edited: its content, what came of it when it was last tried, and keeping it.
import { useEffect, useRef, useState } from "react";
import { ApiError } from "~/api/client";
import { makeTest, type Offer, saveTest, type TestContent, type TestResult, tryTest } from "~/api/flowTests";
import { useEditor } from "~/store/editor";
import { useFlowTests } from "~/store/flowTests";
import type { Opened } from "./TestsPanel";

export interface EditedTest {
  content: TestContent;
  change(content: TestContent): void;
  /** What could be expected, as it came out when it was last tried. */
  offers: readonly Offer[];
  result: TestResult | null;
  trying: boolean;
  attempt(): Promise<void>;
  /** Keep it; resolves to its id, null where that was refused. */
  keep(): Promise<number | null>;
  failure: string | null;
  isNew: boolean;
  notes: readonly string[];
}

export function useTest(flow: string, opened: Opened): EditedTest {
  const kept = "kept" in opened ? opened.kept : null;
  const recording = "recording" in opened ? opened.recording : null;
  const [content, change] = useState<TestContent>(
    kept?.content ?? recording?.content ?? ("content" in opened ? opened.content : { name: "Test" }),
  );
  const [offers, setOffers] = useState<readonly Offer[]>(recording?.offers ?? []);
  const [result, setResult] = useState<TestResult | null>(null);
  const [trying, setTrying] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const revision = useRef(kept?.revision ?? 0);

  async function attempt(): Promise<void> {
    setTrying(true);
    setFailure(null);
    try {
      const found = await tryTest(flow, useEditor.getState().document, content);
      setResult(found);
      if (!found.fault) setOffers(found.offers);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
    setTrying(false);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it is opened
  useEffect(() => void attempt(), []);

  async function keep(): Promise<number | null> {
    setFailure(null);
    try {
      const saved = kept
        ? await saveTest(flow, kept.id, content, revision.current)
        : await makeTest(flow, content, recording?.run ?? "");
      await useFlowTests.getState().changed();
      void useFlowTests.getState().run([saved.id]);
      return saved.id;
    } catch (error) {
      if (error instanceof ApiError && error.code === "revision_conflict") {
        revision.current = (error.details as { revision: number }).revision;
        setFailure("Somebody else has changed this test since you opened it. Save once more to replace their change.");
      } else setFailure(error instanceof Error ? error.message : String(error));
      return null;
    }
  }
  const notes = recording?.notes ?? [];
  return { content, change, offers, result, trying, attempt, keep, failure, isNew: kept === null, notes };
}
