// What a test of a flow can say, and expectations put and taken away.
import { expect, it } from "vitest";
import type { FlowDocument } from "./document";
import { differingKeys, expectedAt, queuesOf, readTestFile, stepsThatAsk, withExpected } from "./flowTest";

const document = {
  format: 1,
  id: "f",
  nodes: [
    { id: "get", type: "tool_call", name: "Get it", config: { tool: "fetch" } },
    { id: "say", type: "agent", config: { tools: ["look"] } },
    { id: "odd", type: "handler", config: null },
    { id: "ask", type: "approval", config: {} },
  ],
  edges: [],
} as unknown as FlowDocument;

it("names every call that a flow can make, and those that only the test knows", () => {
  expect(queuesOf(document, { "llm:gone": [] }).map((one) => one.name)).toEqual([
    "fetch",
    "llm:say",
    "look",
    "handler:odd",
    "llm:gone",
  ]);
  expect(stepsThatAsk(document).map((one) => one.label)).toEqual(["Get it", "ask"]);
});

it("puts and takes away expectations, leaving no empty objects behind", () => {
  const content = { name: "t", expect: { status: "succeeded" } };
  const more = withExpected(content, ["calls", "fetch"], 2);
  expect(expectedAt(more, ["calls", "fetch"])).toBe(2);
  expect(withExpected(more, ["calls", "fetch"], undefined)).toEqual(content);
  expect(expectedAt(content, ["state", "x"])).toBeUndefined();
});

it("parts two objects by what differs", () => {
  expect(differingKeys({ a: 1, b: [2] }, { a: 1, b: [3], c: null })).toEqual([
    { key: "b", expected: [2], found: [3] },
    { key: "c", expected: undefined, found: null },
  ]);
  expect(differingKeys([1], { a: 1 })).toBeNull();
});

it("reads a test file without its flow, and says what is wrong with one", () => {
  const file = { name: "one", flow: { nodes: [] }, inputs: { n: 1 }, expect: {} };
  expect(readTestFile(JSON.stringify(file))).toEqual({ content: { name: "one", inputs: { n: 1 }, expect: {} } });
  expect(readTestFile("{")).toEqual({ fault: expect.stringContaining("This is no JSON") });
  expect(readTestFile("[]")).toEqual({ fault: "A test file holds one test, a JSON object." });
  expect(readTestFile("{}")).toEqual({ fault: "The test has no name." });
  for (const flow of ['{"name": "f", "nodes": []}', '{"nodes": []}'])
    expect(readTestFile(flow)).toEqual({ fault: "This is the document of a flow, no test of one." });
});
