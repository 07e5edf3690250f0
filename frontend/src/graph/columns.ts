// The order of nodes within each column of a layout: targets as their ports stand, then as few crossings as can be found.
import type { Graph, GraphLabel, NodeLabel } from "@dagrejs/dagre";

type Layered = Graph<GraphLabel, NodeLabel, Record<string, unknown>>;

interface Line {
  from: string;
  to: string;
  /** Port of its source, from the top. */
  port: number;
}

interface Columns {
  layers: string[][];
  /** Lines by the node that they come from, and by the one that they reach. */
  out: Map<string, Line[]>;
  into: Map<string, Line[]>;
}

const SWEEPS = 8;

/** Sets `order` of every node. `portOf`: place of the port, from the top, of an edge with this name. */
export function orderColumns(graph: Layered, wanted: readonly string[], portOf: (edge: string) => number): void {
  const columns = columnsOf(graph, wanted, portOf);
  let best = columns.layers;
  let least = crossings(columns, best);
  let layers = best;
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep += 1) {
    layers = swept(columns, layers, sweep % 2 === 0);
    const count = crossings(columns, layers);
    if (count < least) [best, least] = [layers, count];
  }
  for (const layer of best)
    layer.forEach((id, index) => {
      graph.node(id).order = index;
    });
}

/** The columns as a walk along the edges finds their nodes, ports from the top. */
function columnsOf(graph: Layered, wanted: readonly string[], portOf: (edge: string) => number): Columns {
  const out = new Map<string, Line[]>();
  const into = new Map<string, Line[]>();
  for (const { v, w, name } of graph.edges()) {
    const whole = graph.node(w).edgeObj?.name ?? graph.node(v).edgeObj?.name ?? name ?? "";
    const line = { from: v, to: w, port: graph.node(v).dummy ? 0 : portOf(whole) };
    out.set(v, [...(out.get(v) ?? []), line]);
    into.set(w, [...(into.get(w) ?? []), line]);
  }
  const layers: string[][] = [];
  const seen = new Set<string>();
  const visit = (id: string) => {
    const open = [id];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const rank = graph.node(at).rank ?? 0;
      for (let missing = layers.length; missing <= rank; missing += 1) layers.push([]);
      layers[rank]?.push(at);
      const next = [...(out.get(at) ?? [])].sort((a, b) => a.port - b.port).map((line) => line.to);
      open.push(...next.reverse());
    }
  };
  for (const id of wanted) if (!into.has(id)) visit(id);
  for (const id of [...wanted, ...graph.nodes()]) visit(id);
  return { layers, out, into };
}

function swept({ into, out }: Columns, layers: readonly string[][], forward: boolean): string[][] {
  const next = layers.map((layer) => [...layer]);
  const turns = forward ? next : [...next].reverse();
  let place = new Map<string, number>();
  for (const layer of turns) {
    const centre = new Map(layer.map((id, index) => [id, weightOf(id, index, place)]));
    layer.sort((a, b) => (centre.get(a) ?? 0) - (centre.get(b) ?? 0));
    place = new Map(layer.map((id, index) => [id, index]));
  }
  return next;

  function weightOf(id: string, index: number, beside: ReadonlyMap<string, number>): number {
    const lines = (forward ? into.get(id) : out.get(id)) ?? [];
    const found = lines.flatMap((line) => {
      const at = beside.get(forward ? line.from : line.to);
      return at === undefined ? [] : at + (forward ? line.port / 100 : 0);
    });
    return found.length ? found.reduce((sum, one) => sum + one, 0) / found.length : index;
  }
}

function crossings({ out }: Columns, layers: readonly string[][]): number {
  let count = 0;
  for (const [index, layer] of layers.entries()) {
    const below = new Map((layers[index + 1] ?? []).map((id, place) => [id, place]));
    const lines = layer.flatMap((id, place) =>
      (out.get(id) ?? []).map((line) => [place + line.port / 100, below.get(line.to) ?? 0] as const),
    );
    lines.forEach((a, one) => {
      for (const b of lines.slice(one + 1)) if ((a[0] - b[0]) * (a[1] - b[1]) < 0) count += 1;
    });
  }
  return count;
}
