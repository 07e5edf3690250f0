// Answers to what the person just did: shown at the lower left for some seconds, and read out.
import { useEffect } from "react";

interface Props {
  notice: { number: number; text: string; tone: "done" | "refused" } | null;
  spoken: string;
  onDone: (number: number) => void;
}

const SHOWN_MS = 5000;

export default function Notices({ notice, spoken, onDone }: Props) {
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => onDone(notice.number), SHOWN_MS + notice.text.length * 30);
    return () => clearTimeout(timer);
  }, [notice, onDone]);
  return (
    <>
      <div className="notices" role={notice?.tone === "refused" ? "alert" : "status"}>
        {notice ? (
          <p key={notice.number} className={`toast toast-${notice.tone}`}>
            {notice.text}
          </p>
        ) : null}
      </div>
      <div className="visually-hidden" role="status" aria-live="polite">
        {spoken}
      </div>
    </>
  );
}
