// What an empty flow says: the first question, and the first kinds of node to answer it with.
import { useMemo } from "react";
import { choicesOf } from "~/nodes/choices";
import { NodeIcon } from "~/nodes/icons";
import { addNode } from "~/store/actions/adding";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";

const FIRST = ["llm_call", "transform", "one_of"];

export default function Welcome() {
  const empty = useEditor((state) => !state.document.nodes.length && !state.readOnly);
  const nodeTypes = useCatalog((state) => state.nodeTypes);
  const tools = useCatalog((state) => state.tools);
  const choices = useMemo(() => {
    const all = choicesOf({ nodeTypes, tools });
    const tool = all.find((one) => one.tool);
    return [...all.filter((one) => FIRST.includes(one.key)), ...(tool ? [tool] : [])];
  }, [nodeTypes, tools]);
  if (!empty) return null;
  return (
    <div className="welcome nopan">
      <h2>What should this flow do first?</h2>
      <p className="quiet">Pick a node here or on the left, double-click the canvas, or paste nodes with Ctrl+V.</p>
      <div className="welcome-choices">
        {choices.map((choice) => (
          <button key={choice.key} type="button" onClick={() => addNode(choice, { kind: "usual" })}>
            <NodeIcon type={choice.type} category={choice.category} />
            <span>{choice.title}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
