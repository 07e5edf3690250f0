// New ids for nodes and edges: short, readable, never taken.

/** `wanted`, or `wanted_2`, `wanted_3` …: the first that is free. Ids of nodes have at most 63 characters. */
export function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const base = wanted.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^([^A-Za-z_])/, "_$1") || "node";
  if (!taken.has(base.slice(0, 63))) return base.slice(0, 63);
  for (let number = 2; ; number += 1) {
    const tail = `_${number}`;
    const id = base.slice(0, 63 - tail.length) + tail;
    if (!taken.has(id)) return id;
  }
}
