// F6 goes through the parts of the page in their order, whatever of them is loaded already.
import { beforeEach, expect, it } from "vitest";
import { goRegion } from "./regions";

const where = () => document.activeElement?.closest("[data-region]")?.tagName;

function made(tag: string, attributes: Record<string, string>, ...children: HTMLElement[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

beforeEach(() => {
  document.body.replaceChildren(
    made("header", { "data-region": "" }, made("a", { href: "/" })),
    made("section", { "data-region": "", id: "canvas" }, made("p", {})),
    made("aside", { "data-region": "" }, made("div", { role: "separator", tabindex: "0" }), made("button", {})),
  );
});

it("goes to a part that is still being loaded, and on from there", () => {
  const seen = [1, 2, 3, 4].map(() => {
    goRegion(1);
    return where();
  });
  expect(seen).toEqual(["HEADER", "SECTION", "ASIDE", "HEADER"]);
});

it("goes back from outside of all parts to the last one", () => {
  goRegion(-1);
  expect(document.activeElement?.getAttribute("role")).toBe("separator");
  goRegion(-1);
  expect(document.activeElement?.id).toBe("canvas");
});
