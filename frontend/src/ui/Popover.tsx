// A small window at a point of the page that takes the focus; Esc or a press outside closes it.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";

interface Props {
  label: string;
  x: number;
  y: number;
  onClose: () => void;
  children: ReactNode;
}

export default function Popover({ label, x, y, onClose, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: x, top: y });
  useLayoutEffect(() => {
    const size = box.current?.getBoundingClientRect();
    if (!size) return;
    const left = Math.max(4, Math.min(x, window.innerWidth - size.width - 8));
    setPlace({ left, top: Math.max(4, Math.min(y, window.innerHeight - size.height - 8)) });
  }, [x, y]);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener("pointerdown", outside, true);
    return () => document.removeEventListener("pointerdown", outside, true);
  }, [onClose]);
  return (
    <div ref={box} className="popover" role="dialog" aria-label={label} style={place}>
      {children}
    </div>
  );
}
