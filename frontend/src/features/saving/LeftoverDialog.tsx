// Changes that an earlier visit could not save: offered again before anything else is done.
import { useSaving } from "~/store/saving";
import Dialog from "~/ui/Dialog";
import { dayAndTime } from "~/ui/times";

export default function LeftoverDialog() {
  const leftover = useSaving((state) => state.leftover);
  const revision = useSaving((state) => state.revision);
  if (!leftover) return null;
  const { takeLeftover, dropLeftover } = useSaving.getState();
  const actions = (
    <>
      <button type="button" onClick={dropLeftover}>
        Drop them
      </button>
      <button type="button" className="primary" onClick={takeLeftover}>
        Take them up
      </button>
    </>
  );
  return (
    <Dialog title="There are changes that were not saved" actions={actions}>
      <p>This browser kept changes to this flow from {dayAndTime(leftover.at)} that did not reach the server.</p>
      {leftover.revision !== revision && (
        <p>The draft was saved since then. If you take the changes up, both are shown side by side.</p>
      )}
    </Dialog>
  );
}
