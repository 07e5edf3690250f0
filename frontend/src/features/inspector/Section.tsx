// A part of the inspector that folds away; on its head show what is set inside it and the problems there.
import { type ReactNode, useId } from "react";

export function Section({
  title,
  open,
  count,
  told,
  children,
}: {
  title: string;
  open?: boolean;
  count?: number;
  /** What is set inside, in words, for while it is folded. */
  told?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <details className="inspector-section" open={open} aria-labelledby={id}>
      <summary>
        <h3 id={id}>{title}</h3>
        {told ? <span className="section-told">{told}</span> : null}
        {count ? <span className="count-mark">{count === 1 ? "1 problem" : `${count} problems`}</span> : null}
      </summary>
      <div className="inspector-fields">{children}</div>
    </details>
  );
}
