// The one entry of all scripts made with React: looks which page it is on and loads that page's part.
import "./features/publish/publish.css";
import "./features/runs/runs.css";
import "./features/runview/runview.css";
import "./features/saving/saving.css";
import "./features/versions/versions.css";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readBoot } from "./pages/boot";
import "./styles/canvas.css";
import Crashed from "./ui/Crashed";
import "./styles/compare.css";
import "./styles/editor.css";

/** By id of the element that a page of the server has for it. */
const PAGES: Record<string, () => Promise<ReactNode>> = {
  editor: async () => {
    const { default: EditorPage } = await import("./pages/EditorPage");
    return <EditorPage boot={readBoot()} />;
  },
  compare: async () => {
    const { default: ComparePage } = await import("./pages/ComparePage");
    return <ComparePage boot={readBoot()} />;
  },
  "run-view": async () => {
    const { default: RunView } = await import("./pages/RunView");
    return <RunView boot={readBoot()} />;
  },
};

function guarded(page: ReactNode) {
  return <Crashed ways={<a href="/flows/">All flows</a>}>{page}</Crashed>;
}

for (const [id, load] of Object.entries(PAGES)) {
  const element = document.getElementById(id);
  if (element) void load().then((page) => createRoot(element).render(<StrictMode>{guarded(page)}</StrictMode>));
}
