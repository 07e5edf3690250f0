// F6: the parts of the page in their order, as they say themselves by `data-region`. A part whose content is still being
// loaded holds its place: it takes the focus itself.
const STOPS =
  "[tabindex='0'], input:not([disabled]), button:not([disabled]):not([tabindex='-1']), select, textarea, a[href]";

/** Put the focus into the next part of the page, or the one before; from outside of all, into the first or the last. */
export function goRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter(isShown);
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = at < 0 && step < 0 ? regions.length - 1 : (at + step + regions.length) % regions.length;
  const region = regions[next];
  if (!region) return;
  const stop = region.querySelector<HTMLElement>(STOPS);
  if (!stop) region.tabIndex = -1;
  (stop ?? region).focus({ focusVisible: true } as FocusOptions);
}

const isShown = (region: HTMLElement) => region.checkVisibility?.() ?? true;
