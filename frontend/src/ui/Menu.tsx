// A menu at a point: arrows move, Enter takes, Esc closes, and the focus goes back to where it was.
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";

export interface MenuItem {
  key: string;
  title: string;
  hint?: string;
  /** Why it cannot be taken; it stays reachable and says so. */
  refusal?: string | null;
  /** A line above it. */
  divided?: boolean;
  run: () => void;
}

interface Props {
  label: string;
  x: number;
  y: number;
  items: readonly MenuItem[];
  onClose: () => void;
}

export default function Menu({ label, x, y, items, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  const [place, setPlace] = useState({ left: x, top: y });

  useLayoutEffect(() => {
    const size = menu.current?.getBoundingClientRect();
    if (!size) return;
    const left = Math.max(4, Math.min(x, window.innerWidth - size.width - 8));
    setPlace({ left, top: Math.max(4, Math.min(y, window.innerHeight - size.height - 8)) });
  }, [x, y]);

  useEffect(() => {
    opener.current = document.activeElement;
    menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: PointerEvent) => {
      if (!menu.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener("pointerdown", outside, true);
    return () => document.removeEventListener("pointerdown", outside, true);
  }, [onClose]);

  function close() {
    onClose();
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
  }

  function onKeyDown(event: KeyboardEvent) {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined) all[(next + all.length) % all.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div ref={menu} className="menu" role="menu" aria-label={label} style={place} onKeyDown={onKeyDown} tabIndex={-1}>
      {items.map((item) => (
        <button
          key={item.key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={item.divided ? "menu-item menu-divided" : "menu-item"}
          aria-disabled={item.refusal ? true : undefined}
          title={item.refusal ?? undefined}
          onClick={() => {
            if (item.refusal) return;
            close();
            item.run();
          }}
        >
          <span>{item.title}</span>
          {item.hint ? <kbd>{item.hint}</kbd> : null}
        </button>
      ))}
    </div>
  );
}
