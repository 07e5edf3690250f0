// Fold buttons can be hit at every zoom at which they are drawn.
import { expect, it } from "vitest";
import { foldSize } from "./fold";

it.each([2, 1, 0.9, 0.8, 0.75, 0.7, 0.67])("is 24 px on the screen at least, at %f", (zoom) => {
  expect((foldSize(zoom) ?? 0) * zoom).toBeGreaterThanOrEqual(24);
});

it.each([0.66, 0.5, 0.1])("is left out where the head has no room for it, at %f", (zoom) => {
  expect(foldSize(zoom)).toBeNull();
});
