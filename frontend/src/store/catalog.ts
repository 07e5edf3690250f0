// What this site's flows can be made of, read once when a page opens.
import { create } from "zustand";
import { type Catalog, type NodeType, readCatalog, type Tool } from "~/api/catalog";

interface CatalogState extends Catalog {
  loaded: boolean;
  load(): Promise<void>;
}

export const useCatalog = create<CatalogState>()((set) => ({
  nodeTypes: [],
  tools: [],
  handlers: [],
  models: [],
  roles: [],
  skills: [],
  documentSchema: {},
  loaded: false,
  async load() {
    set({ ...(await readCatalog()), loaded: true });
  },
}));

/** The type with this name, or undefined where the site does not have it (any more). */
export function useNodeType(name: string): NodeType | undefined {
  return useCatalog((state) => state.nodeTypes.find((type) => type.name === name));
}

export function useTool(name: string | undefined): Tool | undefined {
  return useCatalog((state) => state.tools.find((tool) => tool.name === name));
}
