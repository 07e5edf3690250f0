// The edited flow in plain words, asked of the server again a moment after it changed.
import { useEffect, useState } from "react";
import { type Description, describeFlow } from "~/api/explaining";
import { useEditor } from "~/store/editor";

const WAIT_MS = 400;

export function useDescription(flow: string): { description: Description | null; failure: string | null } {
  const document = useEditor((state) => state.document);
  const [description, setDescription] = useState<Description | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const asking = new AbortController();
    const timer = setTimeout(() => {
      describeFlow(flow, document, asking.signal)
        .then((found) => {
          setDescription(found);
          setFailure(null);
        })
        .catch((error: Error) => {
          if (!asking.signal.aborted) setFailure(error.message);
        });
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [flow, document]);
  return { description, failure };
}
