// The server's answer to what is being written: asked 250 ms after the last key, the latest question counts.
import { useEffect, useState } from "react";
import { ApiError } from "~/api/client";
import { type Preview, type PreviewKind, readPreview } from "~/api/expressions";
import type { Json } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { useValues } from "~/store/values";
import { useForm } from "../form/scope";

const WAIT_MS = 250;

export type Told = { preview: Preview; about: Json } | { failure: string } | null;

/** The preview of a value; null while nothing is known, or nothing is asked (`active`: only fields in use ask). */
export function usePreview(kind: PreviewKind, value: Json, active: boolean): Told {
  const { flow, spot } = useForm();
  const run = useValues((state) => state.run);
  const sample = useValues((state) => state.sample);
  const [told, setTold] = useState<Told>(null);
  const key = JSON.stringify([kind, value, spot, run, sample]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says all that the question is made of
  useEffect(() => {
    if (!active) return setTold(null);
    const asking = new AbortController();
    // A rule is asked about any call: no place of a run has its arguments.
    const from = run && spot.rule === undefined ? { run } : { sample };
    const asked = {
      kind,
      value,
      ...from,
      ...(spot.node ? { node: spot.node } : {}),
      ...(spot.edge ? { edge: spot.edge } : {}),
    };
    const timer = setTimeout(() => {
      readPreview(flow, useEditor.getState().document, asked, asking.signal)
        .then((preview) => setTold({ preview, about: value }))
        .catch((error: unknown) => {
          if (!asking.signal.aborted) setTold({ failure: wordsOf(error) });
        });
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [key, active, flow]);

  return told;
}

function wordsOf(error: unknown): string {
  return error instanceof ApiError ? error.message : "No preview: the server cannot be reached.";
}
