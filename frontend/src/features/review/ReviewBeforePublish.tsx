// In the publish dialog: who has to approve this content, how that stands, and asking for it.
import { useState } from "react";
import { askReview } from "~/api/reviews";
import { useSaving } from "~/store/saving";
import { namedReviewer, useReview } from "./useReview";

export default function ReviewBeforePublish({ flow }: { flow: string }) {
  const { setting, review, failure, reload } = useReview(flow);
  const [note, setNote] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  if (failure) return <p role="alert">Whether a review is needed could not be read: {failure}</p>;
  if (!setting?.needed) return null;

  async function ask() {
    setRefused(null);
    try {
      await askReview(flow, note.trim(), useSaving.getState().revision);
      reload();
    } catch (error) {
      setRefused((error as Error).message);
    }
  }

  return (
    <section aria-label="Review" className="publish-part">
      <h3>Review</h3>
      {refused ? <p role="alert">{refused}</p> : null}
      <p role="status">
        {review?.status === "approved"
          ? `Approved by ${review.decided_by ?? "somebody"}. Any change of the draft needs another review.`
          : review?.status === "open"
            ? `${namedReviewer(setting)} was asked by ${review.asked_by ?? "somebody"} and has not decided yet.`
            : review
              ? `Declined by ${review.decided_by ?? "somebody"}: ${review.answer}`
              : `Before it is published, ${namedReviewer(setting)} has to approve it.`}
      </p>
      {review?.status === "open" || review?.status === "approved" ? null : (
        <>
          <label htmlFor="review-note">What to say to the reviewer</label>
          <textarea id="review-note" rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
          <button type="button" onClick={() => void ask()}>
            Ask for a review
          </button>
        </>
      )}
    </section>
  );
}
