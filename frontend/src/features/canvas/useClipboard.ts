// Copy, cut and paste by the browser's own events, which need no permission; only while the canvas has the focus.
import { useEffect } from "react";
import { outermost } from "~/graph/moving";
import { copied, pasteText, selectionText } from "~/store/actions/copying";
import { named } from "~/store/actions/editing";
import { useEditor } from "~/store/editor";
import { isOnCanvas } from "./useRoving";

const isInEditor = (active: Element | null) => isOnCanvas(active) || active?.matches(".outline-row") === true;

export function useClipboard(): void {
  useEffect(() => {
    const take = (event: ClipboardEvent) => {
      const { document: flow, nodes, readOnly } = useEditor.getState();
      const text = isInEditor(document.activeElement) ? selectionText() : null;
      if (text === null || !event.clipboardData) return;
      event.preventDefault();
      event.clipboardData.setData("text/plain", text);
      copied(named(flow, outermost(flow, nodes)), event.type === "cut" && !readOnly);
    };
    const put = (event: ClipboardEvent) => {
      const active = document.activeElement;
      const free = isInEditor(active) || (active === document.body && useEditor.getState().document.nodes.length === 0);
      if (!free || useEditor.getState().readOnly || !event.clipboardData) return;
      event.preventDefault();
      pasteText(event.clipboardData.getData("text/plain"));
    };
    document.addEventListener("copy", take);
    document.addEventListener("cut", take);
    document.addEventListener("paste", put);
    return () => {
      document.removeEventListener("copy", take);
      document.removeEventListener("cut", take);
      document.removeEventListener("paste", put);
    };
  }, []);
}
