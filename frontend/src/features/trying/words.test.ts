// Tries in plain words.
import { expect, it } from "vitest";
import { callWords, sourceWords } from "./words";

it("says where a pinned output came from", () => {
  expect(sourceWords({ source: "typed", run: "" })).toBe("Typed");
  expect(sourceWords({ source: "run", run: "0123456789abcdef" })).toBe("From run 01234567");
  expect(sourceWords({ source: "try", run: "" })).toBe("From a try");
});

it("says what will be called, and that a person is asked", () => {
  const call = { type: "tool_call", tool: "pay_invoice", effect: "at_most_once", asks: true };
  expect(callWords(call)).toBe(
    "calls pay_invoice, which must not happen twice. A person has to approve that first, in the inbox",
  );
  expect(callWords({ type: "llm_call", tool: "", effect: "", asks: false })).toBe("asks the model");
});
