// What can be added to a flow: every node type of the site, and each of its tools as a ready-made call. One sentence each.
import type { Catalog, NodeType } from "~/api/catalog";
import type { Kind } from "~/graph/creating";
import { endsPath } from "~/graph/ports";

export interface Choice extends Kind {
  key: string;
  category: NodeType["category"];
  group: string;
  sentence: string;
  /** It ends its path, so nothing can follow it. */
  ends: boolean;
  /** Other words that people search it by. */
  words: string;
}

/** What a choice is called while it is dragged from one part of the page to another. */
export const CHOICE_TYPE = "application/x-flowsite-node";

const GROUPS: Record<NodeType["category"], string> = {
  control: "Logic",
  container: "Containers",
  work: "Work",
  people: "People and time",
};

const WORDS: Record<string, string> = {
  llm_call: "ai gpt prompt language model chat generate",
  tool_call: "function api action",
  agent: "ai assistant autonomous",
  tool_group: "all tools fan search many",
  handler: "code script python function",
  transform: "map set object build json fields edit",
  evaluator: "formula compute calculate expression",
  set_variable: "assign state remember store",
  verifier: "check test validate assert",
  artifact: "file document report markdown write save",
  subflow: "call flow child reuse",
  approval: "human ask review confirm person form",
  wait: "delay sleep timer signal webhook pause",
  one_of: "if else switch condition decision router",
  return: "finish result stop output",
  end: "finish stop path next item",
  throw: "fail error raise",
  sequence: "group block steps",
  parallel: "concurrent at once fork",
  for_each: "loop iterate map list items repeat",
};

/** All choices, grouped, in the order in which they are shown. */
export function choicesOf(catalog: Pick<Catalog, "nodeTypes" | "tools">): Choice[] {
  const types = catalog.nodeTypes.map(
    (type): Choice => ({
      key: type.name,
      type: type.name,
      title: type.title,
      category: type.category,
      group: GROUPS[type.category] ?? GROUPS.work,
      sentence: type.description,
      ends: type.ends_path || endsPath({ type: type.name }),
      words: `${type.name} ${WORDS[type.name] ?? ""}`,
      configSchema: type.config_schema,
    }),
  );
  const call = types.find((one) => one.type === "tool_call");
  const tools = catalog.tools.map(
    (tool): Choice => ({
      key: `tool:${tool.name}`,
      type: "tool_call",
      title: titleOf(tool.name),
      category: "work",
      group: "Tools",
      sentence: tool.description,
      ends: false,
      words: `${tool.name} tool`,
      configSchema: call?.configSchema ?? {},
      tool: { name: tool.name, schema: tool.schema },
    }),
  );
  const order = ["Work", "Logic", "Containers", "People and time"];
  return [...order.flatMap((group) => types.filter((one) => one.group === group)), ...(call ? tools : [])];
}

/** `read_invoices_csv` is "Read invoices csv". */
function titleOf(name: string): string {
  const words = name.replace(/[_.-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Those that hold every word of a query, titles that begin with it first. */
export function matching(choices: readonly Choice[], query: string): Choice[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [...choices];
  const scored = choices.flatMap((choice) => {
    const title = choice.title.toLowerCase();
    const text = `${title} ${choice.words} ${choice.sentence.toLowerCase()}`;
    if (!words.every((word) => text.includes(word))) return [];
    const first = words[0] ?? "";
    const score = title.startsWith(first) ? 0 : title.includes(first) ? 1 : choice.words.includes(first) ? 2 : 3;
    return [{ choice, score }];
  });
  return scored.sort((a, b) => a.score - b.score).map((one) => one.choice);
}
