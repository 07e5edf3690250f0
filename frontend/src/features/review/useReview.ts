// Whether versions of a flow need a review, and how that of the draft as it is now stands.
import { useCallback, useEffect, useState } from "react";
import { type Review, type ReviewSetting, readReviewSetting, readReviews } from "~/api/reviews";
import { useTogether } from "~/store/together";

export interface ReviewState {
  setting: ReviewSetting | null;
  /** The newest review of the draft as it is; undefined: nobody was asked since it changed. */
  review: Review | undefined;
  failure: string | null;
  reload(): void;
}

export function useReview(flow: string): ReviewState {
  // Live: another person's decision is shown at once.
  const changes = useTogether((state) => state.changes);
  const [setting, setSetting] = useState<ReviewSetting | null>(null);
  const [review, setReview] = useState<Review | undefined>();
  const [failure, setFailure] = useState<string | null>(null);
  const reload = useCallback(() => {
    Promise.all([readReviewSetting(flow), readReviews(flow)])
      .then(([found, reviews]) => {
        setSetting(found);
        setReview(reviews.find((one) => one.current));
        setFailure(null);
      })
      .catch((error: Error) => setFailure(error.message));
  }, [flow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change beside the draft is a reason to look again
  useEffect(reload, [reload, changes]);
  return { setting, review, failure, reload };
}

export const namedReviewer = ({ person, group }: ReviewSetting): string =>
  person ?? (group ? `the group ${group}` : "somebody, whom nobody has named");
