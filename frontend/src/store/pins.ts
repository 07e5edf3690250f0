// Outputs pinned to nodes of the flow that is open. They stand beside the draft and are shared by its editors.
import { create } from "zustand";
import { type PinGiven, type PinSummary, pinOutput, readPins, unpinOutput } from "~/api/trying";
import { useEditor } from "./editor";
import { speak, tell } from "./notices";
import { useSaving } from "./saving";
import { useTogether } from "./together";

interface PinsState {
  flow: string;
  pins: ReadonlyMap<string, PinSummary>;
  load(flow: string): Promise<void>;
  /** Resolves to why it was refused, in a sentence; null: it is pinned. */
  pin(node: string, given: PinGiven): Promise<string | null>;
  unpin(node: string): Promise<void>;
  /** A node gets another id: what is pinned to it goes along, and back with undo. Said before the document changes. */
  renamed(from: string, to: string): void;
  /** Let pinned outputs go where their nodes went, one after the other. */
  follow(): Promise<void>;
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The ids that each renamed node had here: undo and redo lead back to any of them. */
let lineages: string[][] = [];
let isFollowing = false;

export const usePins = create<PinsState>()((set, get) => {
  const put = (pin: PinSummary) => set({ pins: new Map(get().pins).set(pin.node, pin) });
  const drop = (node: string) => set({ pins: new Map([...get().pins].filter(([id]) => id !== node)) });

  return {
    flow: "",
    pins: new Map(),

    async load(flow) {
      if (flow !== get().flow) {
        lineages = [];
        set({ flow, pins: new Map() });
      }
      try {
        const found = await readPins(flow);
        if (flow === get().flow) set({ pins: new Map(found.map((one) => [one.node, one])) });
      } catch {
        // They are read again with the next change beside the draft.
      }
    },

    async pin(node, given) {
      // The node may be so new that the server does not know it yet.
      await useSaving.getState().flush();
      try {
        put(await pinOutput(get().flow, node, given));
      } catch (error) {
        return words(error);
      }
      speak("The output is pinned.");
      return null;
    },

    async unpin(node) {
      try {
        await unpinOutput(get().flow, node);
        drop(node);
        speak("The output is unpinned.");
      } catch (error) {
        tell(words(error), "refused");
      }
    },

    renamed(from, to) {
      const known = lineages.find((ids) => ids.includes(from));
      if (!known) lineages.push([from, to]);
      else if (!known.includes(to)) known.push(to);
    },

    async follow() {
      if (isFollowing) return;
      isFollowing = true;
      for (let move = nextMove(get().pins); move; move = nextMove(get().pins)) {
        const { from, to, ids } = move;
        const failure = await get().pin(to, { from_node: from });
        if (failure === null) {
          drop(from);
          continue;
        }
        lineages = lineages.filter((one) => one !== ids); // what is refused is not asked again
        tell(`The pinned output stayed with ${from}: ${failure}`, "refused");
      }
      isFollowing = false;
    },
  };
});

/** A pinned output whose node has another id now. */
function nextMove(pins: ReadonlyMap<string, PinSummary>): { from: string; to: string; ids: string[] } | null {
  const nodes = new Set(useEditor.getState().document.nodes.map((node) => node.id));
  // An id that was given anew makes it two nodes: neither follows the other.
  lineages = lineages.filter((ids) => ids.filter((id) => nodes.has(id)).length < 2);
  for (const ids of lineages) {
    const to = ids.find((id) => nodes.has(id));
    const from = ids.find((id) => !nodes.has(id) && pins.has(id));
    if (to !== undefined && from !== undefined && !pins.has(to)) return { from, to, ids };
  }
  return null;
}

export const usePin = (node: string) => usePins((state) => state.pins.get(node));

/** Follow the pinned outputs of a flow until the function that this gives is called. */
export function followPins(flow: string): () => void {
  void usePins.getState().load(flow);
  const ends = [
    useTogether.subscribe(({ changes }, before) => {
      if (changes !== before.changes) void usePins.getState().load(flow);
    }),
    useEditor.subscribe(({ document }, before) => {
      if (document !== before.document && lineages.length) void usePins.getState().follow();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
