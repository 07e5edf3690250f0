// What is read out: the same twice is heard twice.
import { expect, it } from "vitest";
import { speak, useNotices } from "./notices";

it("changes the live region each time something is said", () => {
  const said: string[] = [];
  const stop = useNotices.subscribe(({ spoken }, before) => spoken !== before.spoken && said.push(spoken));
  for (const text of ["Zoom 100 %.", "Zoom 100 %.", "Zoom 100 %.", "Laid out."]) speak(text);
  stop();
  expect(said.map((one) => one.trim())).toEqual(["Zoom 100 %.", "Zoom 100 %.", "Zoom 100 %.", "Laid out."]);
});
