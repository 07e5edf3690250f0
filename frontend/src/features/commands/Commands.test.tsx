// Which command a key is: by what has the focus.
import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { type Command, useCommands } from "~/store/commands";
import Commands from "./Commands";

const command = (keys: string, scope: Command["scope"], run: () => void): Command => {
  return { id: keys, title: keys, group: "View", keys: [keys], scope, run };
};

afterEach(cleanup);

it("does in rows what is done on the canvas, but for what moves the picture", () => {
  const [values, zoom, go] = [vi.fn(), vi.fn(), vi.fn()];
  const { container } = render(
    <>
      <Commands />
      <div className="outline-row" tabIndex={-1} />
      <div className="flow-canvas" tabIndex={-1} />
    </>,
  );
  useCommands
    .getState()
    .add([command("V", "canvas", values), command("0", "picture", zoom), command("F4", "page", go)]);
  const press = (where: string) => {
    for (const key of ["v", "0", "F4"]) fireEvent.keyDown(container.querySelector(where) ?? container, { key });
  };
  press(".outline-row");
  expect([values, zoom, go].map((one) => one.mock.calls.length)).toEqual([1, 0, 1]);
  press(".flow-canvas");
  expect([values, zoom, go].map((one) => one.mock.calls.length)).toEqual([2, 1, 2]);
});
