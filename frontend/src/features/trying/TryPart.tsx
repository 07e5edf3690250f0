// In the inspector: trying the selected node, and what is pinned to it.
import { useState } from "react";
import CommandButton from "~/nodes/CommandButton";
import { useEditor } from "~/store/editor";
import { useObserved } from "~/store/observed";
import { usePin, usePins } from "~/store/pins";
import { useTrying } from "~/store/trying";
import Toolbar from "~/ui/Toolbar";
import { dayAndTime } from "~/ui/times";
import { pinnedWords, sourceWords } from "./words";
import "./trying.css";

export default function TryPart() {
  const node = useEditor(({ nodes, edges }) => (nodes.size === 1 && !edges.size ? [...nodes][0] : undefined));
  if (node === undefined) return null;
  return (
    <section className="try-part" aria-label="Try this node">
      <Toolbar className="button-row" label="Try this node">
        <CommandButton id="try">Try up to here</CommandButton>
        <CommandButton id="try-real" label="Try for real">
          Try for real
        </CommandButton>
        <CommandButton id="pin">Pin</CommandButton>
        <PinShown key={node} node={node} />
      </Toolbar>
      <Pinned node={node} />
    </section>
  );
}

/** Pin the value that is shown for this node, by one click. */
function PinShown({ node }: { node: string }) {
  const observed = useObserved((state) => state.observed);
  const readOnly = useEditor((state) => state.readOnly);
  const [busy, setBusy] = useState(false);
  const seen = observed?.nodes.get(node);
  const run = observed?.source.kind === "run" ? observed.source.run : undefined;
  if (readOnly || !run || !seen?.step || seen.value?.kind !== "told") return null;
  const { step } = seen;
  return (
    <button
      type="button"
      className="quiet-button"
      disabled={busy}
      onClick={() => {
        setBusy(true);
        void usePins
          .getState()
          .pin(node, { run, step })
          .then((refused) => {
            setBusy(false);
            if (refused) useTrying.getState().open({ kind: "pin", node });
          });
      }}
    >
      Pin the value shown
    </button>
  );
}

function Pinned({ node }: { node: string }) {
  const pin = usePin(node);
  const readOnly = useEditor((state) => state.readOnly);
  if (!pin) return null;
  return (
    <>
      <p>
        <span className="mark mark-approval">Pinned</span>{" "}
        <span className="quiet">
          {sourceWords(pin)}
          {pin.updated_by ? `, by ${pin.updated_by}` : ""}, {dayAndTime(pin.updated_at)}
        </span>{" "}
        {readOnly ? null : (
          <button
            type="button"
            className="quiet-button"
            onClick={({ currentTarget }) => {
              // It goes with what is pinned: the focus stays in this part.
              currentTarget.closest("section")?.querySelector<HTMLElement>("button[tabindex='0']")?.focus();
              void usePins.getState().unpin(node);
            }}
          >
            Unpin
          </button>
        )}
      </p>
      <pre className="value">{pinnedWords(pin, readOnly)}</pre>
    </>
  );
}
