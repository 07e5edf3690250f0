// The edge of a panel, to make it wider or higher: by dragging, or with the arrow keys.
import { type KeyboardEvent, type PointerEvent, useRef } from "react";

export interface SplitterProps {
  label: string;
  /** `vertical`: a line between left and right. */
  orientation: "vertical" | "horizontal";
  size: number;
  least: number;
  most: number;
  onResize(size: number): void;
}

const STEP = 16;

export function Splitter({ label, orientation, size, least, most, onResize }: SplitterProps) {
  const from = useRef<{ at: number; size: number } | null>(null);
  const at = (event: PointerEvent) => (orientation === "vertical" ? event.clientX : event.clientY);

  function onKeyDown(event: KeyboardEvent) {
    const [more, less] = orientation === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (event.key === more) onResize(size + STEP);
    else if (event.key === less) onResize(size - STEP);
    else if (event.key === "Home") onResize(least);
    else if (event.key === "End") onResize(most);
    else return;
    event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no <hr>
    <div
      role="separator"
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={size}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      className={`splitter splitter-${orientation}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { at: at(event), size };
      }}
      onPointerMove={(event) => {
        if (from.current) onResize(from.current.size + from.current.at - at(event));
      }}
      onPointerUp={() => {
        from.current = null;
      }}
    />
  );
}
