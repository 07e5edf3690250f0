// On the page that compares: the review that somebody asked for, to approve or to decline with a word.
import { useEffect, useId, useState } from "react";
import { checkDocument, type Problem, readDraft } from "~/api/flows";
import { decideReview, type Review } from "~/api/reviews";
import { useReview } from "./useReview";

export default function ReviewDecision({ flow }: { flow: string }) {
  const { review, reload } = useReview(flow);
  if (!review) return null;
  return <Asked key={review.id} flow={flow} review={review} onDecided={reload} />;
}

interface Props {
  flow: string;
  review: Review;
  onDecided: () => void;
}

function Asked({ flow, review, onDecided }: Props) {
  const [note, setNote] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const id = useId();
  async function decide(approve: boolean) {
    try {
      await decideReview(flow, review, approve, note.trim());
      setRefused(null);
    } catch (error) {
      setRefused((error as Error).message);
      return;
    }
    onDecided();
  }
  return (
    <section className="review" aria-label="Review">
      <p role="status">
        {review.status === "open"
          ? `${review.asked_by ?? "Somebody"} asks for a review of the draft as it is${review.note ? `: ${review.note}` : "."}`
          : `The draft as it is was ${review.status} by ${review.decided_by ?? "somebody"}${review.answer ? `: ${review.answer}` : "."}`}
      </p>
      {refused ? <p role="alert">{refused}</p> : null}
      {review.yours ? (
        <>
          <Checks flow={flow} />
          <label htmlFor={id}>Your words (needed to decline)</label>
          <textarea id={id} rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
          <p className="review-buttons">
            <button type="button" className="approve" onClick={() => void decide(true)}>
              Approve this content
            </button>
            <button type="button" className="reject" onClick={() => void decide(false)}>
              Decline
            </button>
          </p>
        </>
      ) : null}
    </section>
  );
}

/** What the server's checks find in the draft. */
function Checks({ flow }: { flow: string }) {
  const [problems, setProblems] = useState<Problem[] | null>(null);
  useEffect(() => {
    readDraft(flow)
      .then(({ document }) => checkDocument(flow, document))
      .then((found) => setProblems(found.problems))
      .catch(() => setProblems(null));
  }, [flow]);
  if (!problems) return null;
  if (!problems.length) return <p>The checks find nothing.</p>;
  return (
    <ul>
      {problems.map((one) => (
        <li key={`${one.code} ${one.path}`}>
          {one.severity}: {one.message}
        </li>
      ))}
    </ul>
  );
}
