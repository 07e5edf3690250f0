// The comments of the chosen node, or of all; those of nodes that are gone stay listed. Live for all who look.
import { type FormEvent, useState } from "react";
import type { Comment } from "~/api/comments";
import { findNode, labelOf } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { speak } from "~/store/notices";
import { useTogether } from "~/store/together";
import { canvasView } from "~/store/view";
import { dayAndTime } from "~/ui/times";
import "./comments.css";

export default function CommentsPanel() {
  const isOpen = useTogether((state) => state.panelOpen);
  const comments = useTogether((state) => state.comments);
  const document = useEditor((state) => state.document);
  const chosen = useEditor((state) => (state.nodes.size === 1 ? [...state.nodes][0] : undefined));
  const [resolved, setResolved] = useState(false);
  if (!isOpen) return null;
  const node = chosen === undefined ? undefined : findNode(document, chosen);
  const shown = comments.filter((one) => (resolved || !one.resolved_at) && (!node || one.node === node.id));
  return (
    <aside className="comments" aria-label="Comments" data-region>
      <header className="comments-head">
        <h2>{node ? `Comments on ${labelOf(node)}` : "Comments"}</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close the comments"
          onClick={() => useTogether.getState().showPanel(false)}
        >
          ×
        </button>
      </header>
      <label className="comments-filter">
        <input type="checkbox" checked={resolved} onChange={(event) => setResolved(event.target.checked)} /> Resolved
        ones too
      </label>
      <ul className="comments-list">
        {shown.map((one) => (
          <Line key={one.id} comment={one} gone={!findNode(document, one.node)} titled={!node} />
        ))}
      </ul>
      {shown.length ? null : <p className="quiet comments-none">No comments{node ? " here" : ""}.</p>}
      {node ? (
        <Write key={node.id} node={node.id} name={labelOf(node)} />
      ) : (
        <p className="quiet comments-none">Choose a node to comment on it.</p>
      )}
    </aside>
  );
}

function Line({ comment, gone, titled }: { comment: Comment; gone: boolean; titled: boolean }) {
  const done = comment.resolved_at !== null;
  return (
    <li className={done ? "comment comment-done" : "comment"}>
      {titled ? (
        gone ? (
          <span className="comment-node">{comment.node_name} (deleted)</span>
        ) : (
          <button
            type="button"
            className="plain comment-node"
            onClick={() => {
              useEditor.getState().select([comment.node]);
              canvasView()?.reveal([comment.node]);
            }}
          >
            {comment.node_name || comment.node}
          </button>
        )
      ) : null}
      <p>{comment.text}</p>
      <footer className="quiet small">
        {comment.author ?? "somebody"}, <time dateTime={comment.created_at}>{dayAndTime(comment.created_at)}</time>
        {done ? ` · resolved by ${comment.resolved_by ?? "somebody"}` : ""}{" "}
        <button type="button" className="plain" onClick={() => void useTogether.getState().resolve(comment.id, !done)}>
          {done ? "Open again" : "Resolve"}
          <span className="visually-hidden"> the comment “{comment.text.slice(0, 40)}”</span>
        </button>
      </footer>
    </li>
  );
}

function Write({ node, name }: { node: string; name: string }) {
  const [text, setText] = useState("");
  async function send(event: FormEvent) {
    event.preventDefault();
    if (!text.trim()) return;
    if (!(await useTogether.getState().say(node, text))) return;
    setText("");
    speak(`Commented on ${name}.`);
  }
  return (
    <form className="comments-write" onSubmit={(event) => void send(event)}>
      <label>
        <span>Your comment</span>
        <textarea value={text} maxLength={5000} rows={3} onChange={(event) => setText(event.target.value)} />
      </label>
      <button type="submit" disabled={!text.trim()}>
        Comment
      </button>
    </form>
  );
}
