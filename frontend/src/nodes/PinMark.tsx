// On cards and on rows of the outline: an output is pinned to the node, and stands in for it in tries.
import { usePin } from "~/store/pins";
import "./pins.css";

export default function PinMark({ node }: { node: string }) {
  const pin = usePin(node);
  if (!pin) return null;
  return (
    <span className="pin-mark" title="An output is pinned: it stands in for this node in tries.">
      <svg viewBox="0 0 16 16" width="12" height="12" role="img" aria-label="Pinned output">
        <path d="M6 2h4l-.5 5L12 9.5H4L6.5 7zM8 9.5V14" />
      </svg>
    </span>
  );
}
