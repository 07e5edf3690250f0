// What others did at a node: open comments, and who has it chosen now. On cards and on rows of the outline.
import { useOpenComments, useOthersAt } from "~/store/together";
import "./together.css";

export default function TogetherMarks({ node }: { node: string }) {
  const comments = useOpenComments(node);
  const others = useOthersAt(node);
  if (!comments && !others.length) return null;
  return (
    <span className="together">
      {comments ? (
        <span className="together-comments" title={commentWords(comments)}>
          <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
            <path d="M2 3h12v8H7l-3 3v-3H2z" />
          </svg>
          {comments}
        </span>
      ) : null}
      {others.length ? (
        <span className="together-person" title={`${others.join(", ")} is here`}>
          {others.map((name) => name.charAt(0).toUpperCase()).join("")}
        </span>
      ) : null}
    </span>
  );
}

export const commentWords = (count: number) => `${count} open ${count === 1 ? "comment" : "comments"}`;
