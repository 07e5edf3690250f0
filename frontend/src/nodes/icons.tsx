// One small drawing for each node type, drawn in the text's colour. Types of other apps get their category's.
const PATHS: Record<string, string> = {
  llm_call: "M3 4h10v7H7l-3 2.5V11H3z M6 7h4",
  tool_call: "M10 2.5a3.5 3.5 0 0 0-3.2 4.9L2.5 11.7l1.8 1.8 4.3-4.3A3.5 3.5 0 0 0 13.5 6l-2 1.2L9.8 5.5z",
  agent: "M8 2v2 M4 4h8v7H4z M6.2 7v1 M9.8 7v1 M2 7v2 M14 7v2 M6 13.5h4",
  tool_group: "M2.5 3h5v4h-5z M8.5 9h5v4h-5z M5 7v4h3.5",
  handler: "M5.5 4 2 8l3.5 4 M10.5 4 14 8l-3.5 4",
  transform: "M2.5 5h8 M8 2.5 10.5 5 8 7.5 M13.5 11h-8 M8 8.5 5.5 11 8 13.5",
  evaluator: "M3 4.5h6 M6 4.5v0 M4 12c2 0 2-2 2.5-4S7.500 4 9.500 4 M9 8l4 5 M13 8l-4 5",
  set_variable: "M3 3h4v10H3 M13 3H9v10h4",
  verifier: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z M5.800 8l1.700 1.700 3-3.200",
  artifact: "M4 2h5l3 3v9H4z M9 2v3h3",
  subflow: "M2.500 2.500h11v11h-11z M5 6h2.500v4H5z M7.500 8H11",
  approval: "M8 2.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z M3 13.500c0-3 2-4.500 5-4.500s5 1.500 5 4.500",
  wait: "M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11z M8 5v3l2 1.500",
  one_of: "M8 13.500V9 M8 9 3.500 5 M8 9l4.500-4 M3.500 5V2.500 M12.500 5V2.500",
  return: "M12.500 3v5a2 2 0 0 1-2 2H3.500 M6 7.500 3.500 10 6 12.500",
  end: "M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11z M6 6h4v4H6z",
  throw: "M8 2.500 14 13H2z M8 6.500v3 M8 11v.5",
  sequence: "M3 3h3v3H3z M3 10h3v3H3z M4.500 6v4 M9 4.500h4 M9 11.500h4",
  parallel: "M2.500 8H5 M5 8l2-4h6.500 M5 8l2 4h6.500 M5 8h8.500",
  for_each: "M12.500 5.500A5 5 0 1 0 13 9 M13 2.500v3.200H9.800",
  work: "M3 3h10v10H3z",
  people: "M8 3a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z M3 13c.500-3 2-4 5-4s4.500 1 5 4",
  control: "M8 2.500 13.500 8 8 13.500 2.500 8z",
  container: "M2.500 2.500h11v11h-11z M5 5h6v6H5z",
  unknown:
    "M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11z M6.500 6.500c0-2 3-2 3 0 0 1.200-1.500 1.200-1.500 2.500 M8 11v.5",
};

export function NodeIcon({ type, category }: { type: string; category?: string | undefined }) {
  return (
    <svg className="node-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[type] ?? PATHS[category ?? "unknown"] ?? PATHS.unknown} />
    </svg>
  );
}
