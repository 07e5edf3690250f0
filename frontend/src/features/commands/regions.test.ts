// F6 goes through the parts of the page in their order, whatever of them is loaded already.
import { beforeEach, expect, it } from "vitest";
import { goRegion } from "./regions";

const PAGE = `
  <header data-region><a href="/">Flows</a></header>
  <section data-region id="canvas"><p>Laying out the flow…</p></section>
  <aside data-region><div role="separator" tabindex="0"></div><button>Close</button></aside>`;
const where = () => document.activeElement?.closest("[data-region]")?.tagName;

beforeEach(() => {
  document.body.innerHTML = PAGE;
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
