// The one entry of all scripts made with React: looks which page it is on and loads that page's part.
import "./features/publish/publish.css";
import "./features/runs/runs.css";
import "./features/saving/saving.css";
import "./features/versions/versions.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readBoot } from "./pages/boot";
import EditorPage from "./pages/EditorPage";
import "./styles/canvas.css";
import "./styles/editor.css";

const editor = document.getElementById("editor");
if (editor) {
  createRoot(editor).render(
    <StrictMode>
      <EditorPage boot={readBoot()} />
    </StrictMode>,
  );
}
