// Outputs pinned to nodes of the flow that is open. They stand beside the draft and are shared by its editors.
import { create } from "zustand";
import { type PinGiven, type PinSummary, pinOutput, readPins, unpinOutput } from "~/api/trying";
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
  /** A node was renamed: what is pinned to it goes along. */
  follow(from: string, to: string): Promise<void>;
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

export const usePins = create<PinsState>()((set, get) => {
  const put = (pin: PinSummary) => set({ pins: new Map(get().pins).set(pin.node, pin) });
  const drop = (node: string) => set({ pins: new Map([...get().pins].filter(([id]) => id !== node)) });

  return {
    flow: "",
    pins: new Map(),

    async load(flow) {
      if (flow !== get().flow) set({ flow, pins: new Map() });
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

    async follow(from, to) {
      if (!get().pins.has(from)) return;
      const failure = await get().pin(to, { from_node: from });
      if (failure === null) drop(from);
      else tell(`The pinned output stayed with ${from}: ${failure}`, "refused");
    },
  };
});

export const usePin = (node: string) => usePins((state) => state.pins.get(node));

/** Follow the pinned outputs of a flow until the function that this gives is called. */
export function followPins(flow: string): () => void {
  void usePins.getState().load(flow);
  return useTogether.subscribe(({ changes }, before) => {
    if (changes !== before.changes) void usePins.getState().load(flow);
  });
}
