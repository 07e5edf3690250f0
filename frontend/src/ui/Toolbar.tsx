// A row of buttons as one tab stop: Left and Right go from one to the next.
import type { ReactNode } from "react";
import { useOneStop } from "./oneStop";

interface ToolbarProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export default function Toolbar({ label, className = "toolbar", children }: ToolbarProps) {
  return (
    <div {...useOneStop<HTMLDivElement>()} className={className} role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}

interface ButtonProps {
  label: string;
  keys?: string;
  /** Why it cannot be pressed; it stays reachable and says so. */
  refusal?: string | null;
  pressed?: boolean;
  className?: string;
  onClick: () => void;
  children: ReactNode;
}

export function ToolButton({ label, keys, refusal, pressed, className = "", onClick, children }: ButtonProps) {
  return (
    <button
      type="button"
      className={`tool ${className}`}
      tabIndex={-1}
      aria-label={label}
      aria-pressed={pressed}
      aria-disabled={refusal ? true : undefined}
      title={refusal ?? (keys ? `${label} (${keys})` : label)}
      onClick={() => {
        if (!refusal) onClick();
      }}
    >
      {children}
    </button>
  );
}
