// Reviews before publish: who has to approve, asking, deciding.
import { request } from "./client";

export interface ReviewSetting {
  /** Versions are published only once somebody has approved them. */
  needed: boolean;
  person: string | null;
  group: string | null;
}

export interface Review {
  id: number;
  status: "open" | "approved" | "declined";
  content_hash: string;
  /** The draft has this content still; else the review is void. */
  current: boolean;
  /** You may decide it. */
  yours: boolean;
  asked_by: string | null;
  asked_at: string;
  note: string;
  decided_by: string | null;
  decided_at: string | null;
  answer: string;
}

const at = (flow: string, rest: string) => `flows/${encodeURIComponent(flow)}/${rest}`;

export function readReviewSetting(flow: string): Promise<ReviewSetting> {
  return request<ReviewSetting>(at(flow, "review-setting/"));
}

export function saveReviewSetting(flow: string, who: { person?: string; group?: string }): Promise<ReviewSetting> {
  return request<ReviewSetting>(at(flow, "review-setting/"), { method: "PUT", body: who });
}

/** The newest first. */
export async function readReviews(flow: string): Promise<Review[]> {
  return (await request<{ items: Review[] }>(at(flow, "reviews/?limit=20"))).items;
}

export function askReview(flow: string, note: string, revision?: number): Promise<Review> {
  return request<Review>(at(flow, "reviews/"), {
    method: "POST",
    body: { note, ...(revision === undefined ? {} : { revision }) },
  });
}

export function decideReview(flow: string, review: Review, approve: boolean, note: string): Promise<Review> {
  return request<Review>(at(flow, `reviews/${review.id}/decision/`), {
    method: "POST",
    body: { approve, content_hash: review.content_hash, note },
  });
}
