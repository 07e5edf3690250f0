// In the header: that somebody else has saved a newer draft, taken up already or to be taken up.
import { useNewerDraft } from "~/store/newerDraft";
import { useSaving } from "~/store/saving";

export default function NewerDraft() {
  const { newer, takenFrom, failure, take } = useNewerDraft();
  const person = useSaving((state) => state.person);
  const named = (by: string | null) => (by === person ? "You, in another tab," : (by ?? "Somebody"));
  return (
    <span className="newer-draft" role="status">
      {newer ? (
        <>
          {named(newer.by)} saved a newer draft. {failure ? `${failure} ` : ""}
          <button type="button" onClick={() => void take()}>
            Load it
          </button>
        </>
      ) : takenFrom ? (
        `Shows what ${takenFrom.by === person ? "you saved in another tab" : `${takenFrom.by ?? "somebody"} saved`}.`
      ) : (
        ""
      )}
    </span>
  );
}
