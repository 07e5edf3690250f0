// A modal dialog: the browser's own, so that focus stays inside and goes back to where it came from.
import { type ReactNode, useEffect, useId, useRef } from "react";
import "./dialog.css";

interface Props {
  title: string;
  children: ReactNode;
  /** The buttons, the main one last. */
  actions: ReactNode;
  wide?: boolean;
  /** Escape or the cross; left out, the dialog has to be answered. */
  onClose?: (() => void) | undefined;
}

export default function Dialog({ title, children, actions, wide = false, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const shown = dialog.current;
    const opener = document.activeElement;
    if (shown && !shown.open) shown.showModal();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header className="dialog-head">
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        {onClose && (
          <button type="button" className="plain" onClick={onClose} aria-label="Close">
            ✕
          </button>
        )}
      </header>
      <div className="dialog-body">{children}</div>
      <footer className="dialog-foot">{actions}</footer>
    </dialog>
  );
}
