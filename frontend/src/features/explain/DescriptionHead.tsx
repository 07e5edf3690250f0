// The head of the outline: the flow in a few sentences, unfolded by who wants to read them.
import { useState } from "react";
import { useDescription } from "./useDescription";
import "./explain.css";

export default function DescriptionHead({ flow }: { flow: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="description-head" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What this flow does</summary>
      {open ? <Sentences flow={flow} /> : null}
    </details>
  );
}

function Sentences({ flow }: { flow: string }) {
  const { description, failure } = useDescription(flow);
  if (failure) return <p role="alert">It could not be described: {failure}</p>;
  return <p>{description ? description.summary.join(" ") : "Putting it into words…"}</p>;
}
