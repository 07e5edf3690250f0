// What has become of the latest changes, in the header: saved, being saved, kept in this browser, refused.
import { useSaving } from "~/store/saving";
import { timeOfDay } from "~/ui/times";
import { savedBy } from "./savedBy";

export default function SaveState() {
  const { status, savedAt, refusal, conflict, person } = useSaving();
  const time = savedAt && timeOfDay(savedAt);
  const words = {
    saved: time ? `Saved ${time}` : "Saved",
    unsaved: "Saving…",
    saving: "Saving…",
    unreachable: "No connection: kept in this browser, trying again",
    refused: `Not saved: ${refusal ?? "refused"} It is kept in this browser.`,
    "signed out": "Not saved: you are signed out. It is kept in this browser.",
    conflict: `Not saved: ${savedBy(conflict?.updatedBy ?? null, person).told}`,
  }[status];
  const isBad = ["unreachable", "refused", "signed out", "conflict"].includes(status);
  return (
    <span className={isBad ? "save-state save-state-bad" : "save-state"} role="status">
      {words}
      {status === "signed out" && (
        <>
          {" "}
          <a href="/sign-in/" target="_blank" rel="noopener">
            Sign in again
          </a>{" "}
          (new tab), then{" "}
        </>
      )}
      {(status === "refused" || status === "signed out") && (
        <button type="button" className="plain" onClick={() => void useSaving.getState().flush()}>
          Try again
        </button>
      )}
    </span>
  );
}
