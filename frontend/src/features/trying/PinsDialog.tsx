// All pinned outputs of the flow: whose they are, where they came from, those of nodes that are gone too.
import { useRef } from "react";
import { findNode } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { usePins } from "~/store/pins";
import { useTrying } from "~/store/trying";
import Dialog from "~/ui/Dialog";
import { dayAndTime } from "~/ui/times";
import { pinnedWords, sourceWords } from "./words";
import "./trying.css";

export default function PinsDialog() {
  const pins = usePins((state) => state.pins);
  const readOnly = useEditor((state) => state.readOnly);
  const document = useEditor((state) => state.document);
  const done = useRef<HTMLButtonElement>(null);
  const isGone = (node: string) => !findNode(document, node);
  const { close, open } = useTrying.getState();
  return (
    <Dialog
      title="Pinned outputs"
      wide
      onClose={close}
      actions={
        <button ref={done} type="button" className="primary" onClick={close}>
          Close
        </button>
      }
    >
      {pins.size ? null : <p className="quiet">Nothing is pinned. Select a node and press P.</p>}
      <ul className="pins">
        {[...pins.values()].map((pin) => (
          <li key={pin.node} className="pin">
            <p>
              <strong>{pin.node_name || pin.node}</strong> <span className="quiet mono">{pin.node}</span>
              {isGone(pin.node) ? (
                <>
                  {" "}
                  <span className="mark mark-warned">The draft has no such node</span>
                </>
              ) : null}
            </p>
            <pre className="value">{pinnedWords(pin, readOnly)}</pre>
            <p className="quiet small">
              {sourceWords(pin)}
              {pin.updated_by ? `, by ${pin.updated_by}` : ""}, {dayAndTime(pin.updated_at)}
            </p>
            {readOnly ? null : (
              <p className="button-row">
                {isGone(pin.node) ? null : (
                  <button type="button" className="quiet-button" onClick={() => open({ kind: "pin", node: pin.node })}>
                    Change<span className="visually-hidden"> what is pinned to {pin.node}</span>
                  </button>
                )}
                <button
                  type="button"
                  className="quiet-button"
                  onClick={() => {
                    done.current?.focus(); // this button goes with its row
                    void usePins.getState().unpin(pin.node);
                  }}
                >
                  Unpin<span className="visually-hidden"> {pin.node}</span>
                </button>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
