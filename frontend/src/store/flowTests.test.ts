// Running tests in portions: results come one after the other, and an older piece of work says nothing any more.
import { beforeEach, expect, it, vi } from "vitest";
import { counts, useFlowTests } from "./flowTests";

const answers: unknown[] = [];
const asked: { path: string; body: unknown }[] = [];

vi.mock("~/api/client", () => ({
  request: (path: string, options: { body?: unknown } = {}) => {
    asked.push({ path, body: options.body });
    const answer = answers.shift();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  },
}));

const summary = (id: number) => ({
  id,
  name: `test ${id}`,
  revision: 1,
  made_of: "",
  updated_by: null,
  updated_at: "",
});
const result = (test: number, passed: boolean) => ({
  test,
  name: `test ${test}`,
  passed,
  status: "succeeded",
  fault: "",
  differences: [],
  offers: [],
  events: [],
});
const portion = { boundaries: 5, survived: 2, spared: 0, broken: [], fault: "", next: 2 };

beforeEach(async () => {
  answers.length = asked.length = 0;
  answers.push({ items: [summary(1), summary(2)] });
  await useFlowTests.getState().load(`flow ${Math.random()}`);
  asked.length = 0;
});

it("asks again for the tests that are left", async () => {
  answers.push({ items: [result(1, true)], left: [2] }, { items: [result(2, false)], left: [] });
  await useFlowTests.getState().run();
  expect(asked.map(({ body }) => (body as { tests: number[] }).tests)).toEqual([[1, 2], [2]]);
  expect(counts(useFlowTests.getState().results)).toEqual({ passed: 1, failed: 1 });
  expect(useFlowTests.getState().work).toBe("idle");
});

it("kills tests that pass at each boundary, and adds up the portions", async () => {
  answers.push({ items: [result(1, true), result(2, false)], left: [] });
  answers.push(portion, {
    ...portion,
    survived: 1,
    spared: 1,
    broken: [{ moment: "m", differences: ["d"] }],
    next: null,
  });
  await useFlowTests.getState().crash();
  const { crashes, crashed, document } = useFlowTests.getState();
  expect(crashed).toBe(document);
  expect([...crashes.keys()]).toEqual([1]);
  expect(crashes.get(1)).toMatchObject({ boundaries: 5, done: 5, survived: 3, spared: 1 });
  expect(asked.at(-1)?.body).toMatchObject({ test: 1, start: 2 });
});

it("says why work came to no end, and forgets what was stopped", async () => {
  answers.push(new Error("Too many requests"));
  await useFlowTests.getState().run();
  expect(useFlowTests.getState()).toMatchObject({ work: "idle", failure: "Too many requests" });
  answers.push({ items: [result(1, true)], left: [2] });
  const running = useFlowTests.getState().run();
  useFlowTests.getState().stop();
  await running;
  expect(useFlowTests.getState().results.size).toBe(0);
});
