// Which run's values are shown unless another is chosen: a whole one that succeeded, before any try of single steps.
import { afterEach, expect, it, vi } from "vitest";
import { type RunInList, readRunsToShow } from "./expressions";

function run(id: string, status: string, trial: string[] | null = null): RunInList {
  return { id, status, trial, version: { number: null }, started_at: "2026-11-30T10:00:00Z" };
}

/** A server with these runs, the newest first. */
function serve(runs: readonly RunInList[]): void {
  vi.stubGlobal("fetch", async (path: string) => {
    const asked = new URL(path, "http://x").searchParams;
    const found = runs
      .filter((one) => !asked.has("status") || one.status === asked.get("status"))
      .filter((one) => asked.get("tries") !== "false" || !one.trial);
    return new Response(JSON.stringify({ items: found.slice(0, Number(asked.get("limit"))) }), { status: 200 });
  });
}

afterEach(() => vi.unstubAllGlobals());

it.each([
  ["a whole run that succeeded", [run("t", "succeeded", ["a"]), run("f", "failed"), run("s", "succeeded")], "s"],
  ["else the newest whole run", [run("t", "succeeded", ["a"]), run("f", "failed"), run("g", "failed")], "f"],
  ["else the newest try", [run("t", "succeeded", ["a"]), run("u", "succeeded", ["a"])], "t"],
])("begins with %s", async (_, runs, first) => {
  serve(runs);
  const found = await readRunsToShow("f");
  expect(found.first?.id).toBe(first);
  expect(found.runs).toEqual(runs);
});

it("keeps what it begins with among those to choose from, however many tries came after", async () => {
  serve([...Array.from({ length: 30 }, (_, index) => run(`t${index}`, "succeeded", ["a"])), run("s", "succeeded")]);
  const { runs, first } = await readRunsToShow("f", 5);
  expect(first?.id).toBe("s");
  expect(runs.map(({ id }) => id)).toEqual(["t0", "t1", "t2", "t3", "t4", "s"]);
});

it("finds nothing where there are no runs", async () => {
  serve([]);
  expect(await readRunsToShow("f")).toEqual({ runs: [] });
});
