// The heights of nodes in a layout: main edges run straight where there is room, and nobody stands over anybody.

/** A node of a column. Its line is where its main edge runs; what it needs above and below that includes the gap. */
export interface Standing {
  id: string;
  line: number;
  above: number;
  below: number;
}

export interface Pull {
  from: string;
  to: string;
  /** How much the two want to be at one height. */
  weight: number;
}

const SWEEPS = 9;

/** The height of each node's line. Columns keep the order of their nodes. */
export function straightened(columns: readonly (readonly Standing[])[], pulls: readonly Pull[]): Map<string, number> {
  const lines = new Map(columns.flat().map((one) => [one.id, one.line]));
  const into = grouped(pulls, (pull) => pull.to);
  const out = grouped(pulls, (pull) => pull.from);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    for (const column of forward ? columns : [...columns].reverse()) {
      const wishes = column.map((one) => wishOf(one.id, (forward ? into : out).get(one.id) ?? [], forward, lines));
      settle(column, wishes).forEach((line, index) => {
        lines.set(column[index]?.id ?? "", line);
      });
    }
  }
  return lines;
}

interface Wish {
  line: number;
  weight: number;
}

function wishOf(id: string, pulls: readonly Pull[], forward: boolean, lines: ReadonlyMap<string, number>): Wish {
  let [sum, weight] = [0, 0];
  for (const pull of pulls) {
    const other = lines.get(forward ? pull.from : pull.to);
    if (other === undefined) continue;
    sum += other * pull.weight;
    weight += pull.weight;
  }
  // Who wants nothing stays, but gives way to all others.
  return weight ? { line: sum / weight, weight } : { line: lines.get(id) ?? 0, weight: 0.01 };
}

interface Block {
  /** Weighted mean of what its members want, each less its distance from the first of the column. */
  line: number;
  weight: number;
  size: number;
}

/** As near to all wishes as can be with the least distances kept: neighbours that would overlap move as one block. */
function settle(column: readonly Standing[], wishes: readonly Wish[]): number[] {
  const offsets: number[] = [];
  const blocks: Block[] = [];
  column.forEach((one, index) => {
    const before = column[index - 1];
    offsets.push(before ? (offsets[index - 1] ?? 0) + before.below + one.above : 0);
    const wish = wishes[index] ?? { line: 0, weight: 1 };
    let block: Block = { line: wish.line - (offsets[index] ?? 0), weight: wish.weight, size: 1 };
    for (let last = blocks.at(-1); last && last.line > block.line; last = blocks.at(-1)) {
      blocks.pop();
      const weight = last.weight + block.weight;
      const line = (last.line * last.weight + block.line * block.weight) / weight;
      block = { line, weight, size: last.size + block.size };
    }
    blocks.push(block);
  });
  return blocks
    .flatMap((block) => Array<number>(block.size).fill(block.line))
    .map((line, index) => line + (offsets[index] ?? 0));
}

function grouped(pulls: readonly Pull[], by: (pull: Pull) => string): Map<string, Pull[]> {
  const groups = new Map<string, Pull[]>();
  for (const pull of pulls) {
    const group = groups.get(by(pull));
    if (group) group.push(pull);
    else groups.set(by(pull), [pull]);
  }
  return groups;
}
