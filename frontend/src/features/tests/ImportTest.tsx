// Takes a test file, as the command line runs it: it is looked at and tried first, and kept only when that is asked for.
import { useRef } from "react";
import type { TestContent } from "~/api/flowTests";
import { readTestFile } from "~/graph/flowTest";
import { tell } from "~/store/notices";

export default function ImportTest({ onTest }: { onTest: (content: TestContent) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => {
    if (!file) return;
    const read = readTestFile(await file.text());
    if ("fault" in read) tell(`${file.name}: ${read.fault}`, "refused");
    else onTest(read.content as TestContent);
  };
  return (
    <>
      <button type="button" className="quiet-button" onClick={() => field.current?.click()}>
        Import a file…
      </button>
      <input
        ref={field}
        type="file"
        hidden
        aria-label="A test file"
        accept=".json,application/json"
        onChange={(event) => {
          void take(event.target.files?.[0]);
          event.target.value = ""; // so that the same file can be taken again
        }}
      />
    </>
  );
}
