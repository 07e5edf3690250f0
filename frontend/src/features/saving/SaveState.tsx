// What has become of the latest changes, in the header: saved, being saved, kept in this browser, refused.
import { useSaving } from "~/store/saving";

export default function SaveState() {
  const { status, savedAt, refusal } = useSaving();
  const time = savedAt?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const words = {
    saved: time ? `Saved ${time}` : "Saved",
    unsaved: "Saving…",
    saving: "Saving…",
    unreachable: "No connection: kept in this browser, trying again",
    refused: `Not saved: ${refusal ?? "refused"} It is kept in this browser.`,
    conflict: "Not saved: somebody else has saved this draft",
  }[status];
  const isBad = status === "unreachable" || status === "refused" || status === "conflict";
  return (
    <span className={isBad ? "save-state save-state-bad" : "save-state"} role="status">
      {words}
      {status === "refused" && (
        <button type="button" className="plain" onClick={() => void useSaving.getState().flush()}>
          Try again
        </button>
      )}
    </span>
  );
}
