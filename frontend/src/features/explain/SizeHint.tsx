// Said in the head where a level holds so many nodes that nobody reads them: parts of it want a flow of their own.
import { crowdOf } from "~/graph/crowded";
import { useEditor } from "~/store/editor";

export default function SizeHint() {
  const document = useEditor((state) => state.document);
  const crowd = crowdOf(document);
  if (!crowd) return null;
  const { count, where, tooMany } = crowd;
  return (
    <span className={tooMany ? "size-hint mark mark-warned" : "size-hint"} role="note">
      {tooMany
        ? `${count} nodes in ${where} are too many: the canvas slows down, and nobody reads them. Select what belongs together, and make a sub-flow of it (Ctrl+K).`
        : `${count} nodes in ${where}: move parts into containers, or make a sub-flow of what is selected.`}
    </span>
  );
}
