// Tries in plain words.
import { expect, it } from "vitest";
import { callerWords, callWords, pinnedWords, sourceWords } from "./words";

it("says where a pinned output came from", () => {
  expect(sourceWords({ source: "typed", run: "" })).toBe("Typed");
  expect(sourceWords({ source: "run", run: "0123456789abcdef" })).toBe("From run 01234567");
  expect(sourceWords({ source: "try", run: "" })).toBe("From a try");
  expect(sourceWords({ source: "run", run: "" })).toBe("From a run");
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

it("says why a pinned value is not told", () => {
  const value = { shown: "", cut: false, size: 0, covered: true };
  expect(pinnedWords({ value }, false)).toBe("Covered: it may be sensitive.");
  expect(pinnedWords({ value }, true)).toContain("only for those who may change the flow");
  expect(pinnedWords({ value: { ...value, shown: "1", covered: false } }, true)).toBe("1");
});
