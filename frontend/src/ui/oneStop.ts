// A row of buttons as one tab stop: arrows, Home and End go from one to the next, Tab leaves. The stop is the button that
// had the focus last, before that the one that is pressed, else the first.
import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef } from "react";

const BUTTONS = "button:not([role=menuitem]):not(.head-menu-items *)";

/** None where the bar lies in a toolbar: then its buttons are that one's. */
function buttonsOf(bar: HTMLElement | null): HTMLElement[] {
  if (bar?.parentElement?.closest("[role=toolbar]")) return [];
  return [...(bar?.querySelectorAll<HTMLElement>(BUTTONS) ?? [])];
}

function stopAt(buttons: readonly HTMLElement[], stop: HTMLElement | undefined): void {
  for (const one of buttons) {
    const tabIndex = one === stop ? 0 : -1;
    if (one.tabIndex !== tabIndex) one.tabIndex = tabIndex;
  }
}

/** What the element around the buttons is given. `pressedFirst`: Tab comes to the pressed one, not to the last used. */
export function useOneStop<Bar extends HTMLElement>({ pressedFirst = false }: { pressedFirst?: boolean } = {}) {
  const bar = useRef<Bar>(null);
  const last = useRef<HTMLElement | null>(null);

  // After each drawing: buttons may have come and gone.
  useLayoutEffect(() => {
    const buttons = buttonsOf(bar.current);
    const focused = buttons.find((one) => one === document.activeElement);
    const used = pressedFirst ? undefined : buttons.find((one) => one === last.current);
    stopAt(buttons, focused ?? used ?? buttons.find((one) => one.ariaPressed === "true") ?? buttons[0]);
  });

  return {
    ref: bar,
    onFocus(event: FocusEvent<Bar>) {
      const buttons = buttonsOf(bar.current);
      const at = buttons.find((one) => one === event.target);
      if (!at) return;
      last.current = at;
      stopAt(buttons, at);
    },
    onKeyDown(event: KeyboardEvent<Bar>) {
      const buttons = buttonsOf(bar.current);
      const at = buttons.indexOf(event.target as HTMLElement);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (at < 0 || next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      buttons[(next + buttons.length) % buttons.length]?.focus();
    },
  };
}
