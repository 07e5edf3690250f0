// What the flow does, in words: sentences about the whole, then node by node. Each leads to its node.
import { usePanels } from "~/store/panels";
import { canvasView } from "~/store/view";
import Dialog from "~/ui/Dialog";
import { useDescription } from "./useDescription";
import "./explain.css";

export default function DescriptionDialog({ flow, onClose }: { flow: string; onClose: () => void }) {
  const { description, failure } = useDescription(flow);
  return (
    <Dialog
      title="What this flow does"
      wide
      onClose={onClose}
      actions={
        <button type="button" onClick={onClose}>
          Close
        </button>
      }
    >
      {failure ? <p role="alert">The flow could not be described: {failure}</p> : null}
      {!description && !failure ? <p className="quiet">Putting it into words…</p> : null}
      {description?.summary.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <ol className="description-steps">
        {description?.steps.map((step) => (
          <li key={step.node} style={{ marginLeft: step.level * 20 }}>
            <button
              type="button"
              className="plain"
              onClick={() => {
                onClose();
                canvasView()?.reveal([step.node]);
                usePanels.getState().openInspector({ kind: "node", id: step.node });
              }}
            >
              {step.name}
            </button>
            : {step.text}
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
