// Copies what a step gave in a run to the draft of its flow, as pinned data for tries.
import { useState } from "react";
import { pinOutput } from "~/api/trying";
import AskDialog from "~/ui/AskDialog";

interface Props {
  flow: string;
  node: string;
  run: string;
  step: string;
  sensitive: boolean;
}

export default function PinFromRun({ flow, node, run, step, sensitive }: Props) {
  const [asking, setAsking] = useState(false);
  const [told, setTold] = useState("");
  async function pin(): Promise<void> {
    try {
      await pinOutput(flow, node, { run, step });
      setTold("Pinned in the draft.");
    } catch (error) {
      setTold(error instanceof Error ? error.message : String(error));
    }
  }
  if (sensitive) return <p className="quiet">It cannot be pinned in the draft, since it may be sensitive.</p>;
  return (
    <p>
      <button type="button" onClick={() => setAsking(true)}>
        Pin its output in the draft…
      </button>{" "}
      <span role="status">{told}</span>
      {asking ? (
        <AskDialog
          question={{
            title: "Pin this output in the draft?",
            text: `In tries of the draft it stands in for ${node}, which then does nothing. What is pinned to it now is replaced. No version and no run changes.`,
            confirm: "Pin it",
          }}
          onAnswer={(yes) => {
            setAsking(false);
            if (yes) void pin();
          }}
        />
      ) : null}
    </p>
  );
}
