// All that one attempt was given, gave and wrote, as JSON. What is very large is left to the attempt's own page.
import { useEffect, useState } from "react";
import { readStep, type StepRun } from "~/api/steps";
import StepValue, { valueText } from "~/nodes/StepValue";
import { tell } from "~/store/notices";
import Dialog from "~/ui/Dialog";
import { bytesWords } from "./sizes";

/** More than that is not read into the page. */
const MOST_BYTES = 1_000_000;

interface Props {
  run: string;
  step: string;
  node: string;
  size: number;
  onClose: () => void;
}

export default function WholeValue({ run, step, node, size, onClose }: Props) {
  const [whole, setWhole] = useState<StepRun | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const isLarge = size > MOST_BYTES;
  useEffect(() => {
    if (isLarge) return;
    readStep(run, step, true)
      .then(setWhole)
      .catch((error: Error) => setFailure(error.message));
  }, [run, step, isLarge]);
  const values = whole?.values;
  const copy = () =>
    navigator.clipboard
      .writeText(valueText(values?.output ?? null))
      .then(() => tell("The output is copied."))
      .catch(() => tell("The browser did not let it be copied. Select the text and copy it.", "refused"));
  return (
    <Dialog
      title={`What ${node} gave`}
      wide
      onClose={onClose}
      actions={
        <>
          {values ? (
            <button type="button" onClick={() => void copy()}>
              Copy the output
            </button>
          ) : null}
          <button type="button" className="primary" onClick={onClose}>
            Close
          </button>
        </>
      }
    >
      {failure ? <p role="alert">It could not be read: {failure}</p> : null}
      {isLarge ? (
        <p>
          The output has {bytesWords(size)}. <a href={`/runs/${run}/steps/${step}/`}>The attempt's page</a> shows its
          parts and lets you save it.
        </p>
      ) : null}
      {!whole && !failure && !isLarge ? <p className="quiet">Reading…</p> : null}
      {whole?.sensitive ? <p>Its values are covered, since they touch what the flow marks as sensitive.</p> : null}
      {values ? (
        <>
          <StepValue title="Output" value={values.output} />
          <StepValue title="Input" value={values.input} />
          <StepValue title="Written to the state" value={values.delta} />
        </>
      ) : null}
    </Dialog>
  );
}
