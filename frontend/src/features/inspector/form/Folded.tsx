// A part of a form that folds away behind what it holds: shown at first only where it is short or new.
import type { ReactNode } from "react";
import { useForm } from "./scope";

/** Rows beyond this many are folded at first. */
export const MANY_ROWS = 4;

interface Props {
  pointer: string;
  isOpen: boolean;
  /** What is read while it is folded. */
  summary: ReactNode;
  children: ReactNode;
}

export function Folded({ pointer, isOpen, summary, children }: Props) {
  const { notes } = useForm();
  const count = [...notes].filter(([at]) => at === pointer || at.startsWith(`${pointer}/`)).length;
  return (
    <details className="folded" open={isOpen}>
      <summary>
        {summary}
        {count ? <span className="count-mark">{count === 1 ? "1 problem" : `${count} problems`}</span> : null}
      </summary>
      {children}
    </details>
  );
}
