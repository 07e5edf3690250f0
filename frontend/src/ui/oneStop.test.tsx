// A row of buttons is one tab stop, and arrows lead through it.
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Segmented } from "./Segmented";
import Toolbar from "./Toolbar";

const stops = () => screen.getAllByRole("button").flatMap((one) => (one.tabIndex === 0 ? [one.textContent] : []));

it("has one stop, which goes with the focus", () => {
  const bar = (names: string[]) => (
    <Toolbar label="Bar">
      {names.map((name) => (
        <button key={name} type="button">
          {name}
        </button>
      ))}
    </Toolbar>
  );
  const { rerender } = render(bar(["a", "b", "c"]));
  expect(stops()).toEqual(["a"]);
  screen.getByText("a").focus();
  fireEvent.keyDown(screen.getByText("a"), { key: "ArrowLeft" });
  expect(document.activeElement?.textContent).toBe("c");
  expect(stops()).toEqual(["c"]);
  rerender(bar(["a", "b"]));
  expect(stops()).toEqual(["a"]);
});

it("comes to what is chosen among a few", () => {
  render(
    <Segmented
      label="Kind"
      options={["x", "y"].map((value) => ({ value, label: value }))}
      value="y"
      onChange={() => undefined}
    />,
  );
  expect(stops()).toEqual(["y"]);
});

it("leaves the buttons of a switch to the toolbar around it", () => {
  render(
    <Toolbar label="Bar">
      <button type="button">a</button>
      <Segmented
        label="Kind"
        options={["x", "y"].map((value) => ({ value, label: value }))}
        value="y"
        onChange={() => undefined}
      />
    </Toolbar>,
  );
  screen.getByText("y").focus();
  expect(stops()).toEqual(["y"]);
  fireEvent.keyDown(screen.getByText("y"), { key: "ArrowRight" });
  expect(stops()).toEqual(["a"]);
});
