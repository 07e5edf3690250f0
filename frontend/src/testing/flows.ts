// Small documents for unit tests, written as short texts.
import { type FlowDocument, type FlowEdge, type FlowNode, opened } from "~/graph/document";
import { geometryOf } from "~/graph/geometry";

const CONTAINERS = new Set(["sequence", "parallel", "for_each"]);
export const isContainer = (type: string) => CONTAINERS.has(type);

/** `flowOf("a > b > c", "b error> d", "box:parallel", "box/x")`: nodes as they are named, edges with their outcome. */
export function flowOf(...lines: string[]): FlowDocument {
  const nodes = new Map<string, FlowNode>();
  const edges: FlowEdge[] = [];
  const node = (text: string) => {
    const [path = "", type] = text.split(":");
    const [id = "", parent] = path.split("/").reverse();
    if (!nodes.has(id)) nodes.set(id, { id, type: type ?? "transform", config: {}, ...(parent ? { parent } : {}) });
    return id;
  };
  for (const line of lines) {
    const parts = line.split(/\s*(\w*>)\s*/);
    let source = node(parts[0] ?? "");
    for (let index = 1; index < parts.length; index += 2) {
      const on = (parts[index] ?? "").slice(0, -1) as FlowEdge["on"];
      const target = node(parts[index + 1] ?? "");
      edges.push({ id: `${source}-${target}${on ? `-${on}` : ""}`, source, target, ...(on ? { on } : {}) });
      source = target;
    }
  }
  return opened({ format: 1, id: "f", nodes: [...nodes.values()], edges });
}

export const drawn = (document: FlowDocument) => geometryOf(document, { isContainer });

export const edgesOf = (document: FlowDocument) =>
  document.edges.map((edge) => `${edge.source} ${edge.on ?? ""}> ${edge.target}`);
