// What people do at a draft together: comments on its nodes, and who else has it open. Both follow the server live.
import { create } from "zustand";
import { addComment, type Comment, followDraft, type Person, readComments, resolveComment } from "~/api/comments";
import { useEditor } from "./editor";
import { followNewerDraft, useNewerDraft } from "./newerDraft";
import { tell } from "./notices";
import { useSaving } from "./saving";

interface TogetherState {
  flow: string;
  comments: readonly Comment[];
  /** How many open comments each node has. */
  open: ReadonlyMap<string, number>;
  people: readonly Person[];
  /** Rises whenever something beside the draft has changed, such as its review. */
  changes: number;
  panelOpen: boolean;
  showPanel(open?: boolean): void;
  say(node: string, text: string): Promise<boolean>;
  resolve(id: number, resolved: boolean): Promise<void>;
}

export const useTogether = create<TogetherState>()((set, get) => ({
  flow: "",
  comments: [],
  open: new Map(),
  people: [],
  changes: 0,
  panelOpen: false,

  showPanel(open = !get().panelOpen) {
    set({ panelOpen: open });
  },

  async say(node, text) {
    // The node may be so new that the server does not know it yet.
    await useSaving.getState().flush();
    try {
      await addComment(get().flow, node, text);
    } catch (error) {
      tell(`The comment was not kept: ${(error as Error).message}`, "refused");
      return false;
    }
    await load(get().flow);
    return true;
  },

  async resolve(id, resolved) {
    try {
      await resolveComment(get().flow, id, resolved);
    } catch (error) {
      tell(`It was not changed: ${(error as Error).message}`, "refused");
    }
    await load(get().flow);
  },
}));

async function load(flow: string): Promise<void> {
  let comments: Comment[];
  try {
    comments = await readComments(flow);
  } catch {
    return; // told again when the connection is back
  }
  const open = new Map<string, number>();
  for (const one of comments) if (one.resolved_at === null) open.set(one.node, (open.get(one.node) ?? 0) + 1);
  useTogether.setState({ comments, open });
}

/** Follow a flow's draft until the function that this gives is called. */
export function followTogether(flow: string): () => void {
  useTogether.setState({ flow, comments: [], open: new Map(), people: [] });
  void load(flow);
  const following = followDraft(flow, {
    onPeople: (people) => useTogether.setState({ people }),
    onChanged: () => {
      useTogether.setState(({ changes }) => ({ changes: changes + 1 }));
      void load(flow);
    },
    onSaved: useNewerDraft.getState().heard,
  });
  const stop = useEditor.subscribe(({ nodes }) => {
    const [node] = nodes;
    following.at(nodes.size === 1 ? (node ?? null) : null);
  });
  const end = followNewerDraft();
  return () => {
    stop();
    end();
    following.stop();
  };
}

const NOBODY: readonly string[] = [];
const names = new Map<string, readonly string[]>();

/** The names of the others who have chosen a node; the same list while they stay the same. */
export function useOthersAt(node: string): readonly string[] {
  return useTogether(({ people }) => {
    const found = people.filter((one) => one.node === node).map((one) => one.name);
    if (!found.length) return NOBODY;
    const key = JSON.stringify(found);
    const known = names.get(key) ?? found;
    names.set(key, known);
    return known;
  });
}

export function useOpenComments(node: string): number {
  return useTogether((state) => state.open.get(node) ?? 0);
}
