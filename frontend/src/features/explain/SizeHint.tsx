// Said in the head where a level holds so many nodes that nobody reads them: parts of it want a flow of their own.
import { crowdOf } from "~/graph/crowded";
import { useEditor } from "~/store/editor";

export default function SizeHint() {
  const document = useEditor((state) => state.document);
  const crowd = crowdOf(document);
  if (!crowd) return null;
  return (
    <span className="size-hint" role="note">
      {crowd.count} nodes in {crowd.where}: move parts into containers or sub-flows
    </span>
  );
}
