// A row of buttons as one tab stop: Left and Right go from one to the next.
import { type KeyboardEvent, type ReactNode, useRef } from "react";

interface ToolbarProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export default function Toolbar({ label, className = "", children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const buttons = [...(bar.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const button = buttons[(next + buttons.length) % buttons.length];
    for (const one of buttons) one.tabIndex = one === button ? 0 : -1;
    button?.focus();
  }

  return (
    <div ref={bar} className={`toolbar ${className}`} role="toolbar" aria-label={label} onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}

interface ButtonProps {
  label: string;
  /** The first button of a bar is where Tab comes to. */
  first?: boolean;
  keys?: string;
  /** Why it cannot be pressed; it stays reachable and says so. */
  refusal?: string | null;
  pressed?: boolean;
  className?: string;
  onClick: () => void;
  children: ReactNode;
}

export function ToolButton({ label, first, keys, refusal, pressed, className = "", onClick, children }: ButtonProps) {
  return (
    <button
      type="button"
      className={`tool ${className}`}
      tabIndex={first ? 0 : -1}
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
