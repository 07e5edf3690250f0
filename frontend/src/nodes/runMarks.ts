// How a run stands, as a mark and in words.
const MARKS: Record<string, { mark: string; words: string }> = {
  active: { mark: "running", words: "Running" },
  awaiting_approval: { mark: "approval", words: "Waiting for approval" },
  paused: { mark: "paused", words: "Paused" },
  succeeded: { mark: "succeeded", words: "Succeeded" },
  failed: { mark: "failed", words: "Failed" },
  canceled: { mark: "canceled", words: "Canceled" },
};

export const runMark = (status: string) => MARKS[status] ?? { mark: "queued", words: status };
