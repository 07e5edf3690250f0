// Tries in plain words.
import { expect, it } from "vitest";
import { callerWords, callWords, sourceWords } from "./words";

it("says where a pinned output came from", () => {
  expect(sourceWords({ source: "typed", run: "" })).toBe("Typed");
  expect(sourceWords({ source: "run", run: "0123456789abcdef" })).toBe("From run 01234567");
  expect(sourceWords({ source: "try", run: "" })).toBe("From a try");
});

it("says what will be called, and that a person is asked", () => {
  const call = { type: "tool_call", tool: "pay_invoice", effect: "at_most_once", asks: true, sure: true };
  expect(callWords(call)).toBe(
    "calls pay_invoice, which must not happen twice. A person has to approve that first, in the inbox",
  );
  expect(callWords({ type: "llm_call", tool: "", effect: "", asks: false, sure: true })).toBe("asks the model");
  expect(callWords({ ...call, sure: false })).toContain("A person may have to approve that first");
});

it("says which step makes a call, and in which sub-flow", () => {
  expect(callerWords({ type: "tool_call", label: "Pay it", flow: "" })).toBe("Pay it");
  expect(callerWords({ type: "tool_call", label: "Pay it", flow: "payments" })).toBe("Pay it in sub-flow payments");
  expect(callerWords({ type: "hidden", label: "", flow: "payments" })).toBe("Sub-flow payments");
});
