// A part of the inspector that folds away; the problems inside it show on its head.
import { type ReactNode, useId } from "react";

export function Section({
  title,
  open,
  count,
  children,
}: {
  title: string;
  open?: boolean;
  count?: number;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <details className="inspector-section" open={open} aria-labelledby={id}>
      <summary>
        <h3 id={id}>{title}</h3>
        {count ? <span className="count-mark">{count === 1 ? "1 problem" : `${count} problems`}</span> : null}
      </summary>
      <div className="inspector-fields">{children}</div>
    </details>
  );
}
