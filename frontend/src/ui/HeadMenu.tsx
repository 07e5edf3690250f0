// A button that opens a short list of links and commands. Closes on a choice, on Escape, and when the focus leaves.
import { type ReactNode, useId, useRef, useState } from "react";
import "./headMenu.css";

interface Props {
  label: string;
  children: ReactNode;
}

export default function HeadMenu({ label, children }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape and a choice inside bubble up to here; nothing else
    <div
      className="head-menu"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button ref={button} type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {label}
      </button>
      {open && (
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        // biome-ignore lint/a11y/useKeyWithClickEvents: the items are buttons and links, which click on Enter themselves
        <div className="head-menu-items" id={id} onClick={() => setOpen(false)}>
          {children}
        </div>
      )}
    </div>
  );
}
