// How fields of code look: the site's tokens, so that both themes follow.
import { HighlightStyle } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const colours = HighlightStyle.define([
  { tag: tags.string, color: "var(--succeeded)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--retrying)" },
  { tag: tags.keyword, color: "var(--approval)", fontWeight: "600" },
  { tag: tags.function(tags.variableName), color: "var(--approval)" },
  { tag: [tags.variableName, tags.propertyName], color: "var(--link)" },
  { tag: [tags.brace, tags.operator, tags.punctuation], color: "var(--quiet)" },
]);

/** The theme of an editor that is at least so many lines high and grows to twenty. */
export function look(lines: number): Extension {
  return EditorView.theme({
    "&": {
      color: "var(--text)",
      backgroundColor: "var(--surface)",
      border: "1px solid var(--control)",
      borderRadius: "4px",
      fontSize: "13px",
    },
    "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
    ".cm-scroller": {
      fontFamily: "var(--mono)",
      lineHeight: "18px",
      maxHeight: "360px",
      minHeight: `${lines * 18 + 10}px`,
      overflow: "auto",
    },
    ".cm-content": { padding: "5px 0", caretColor: "var(--text)" },
    ".cm-line": { padding: "0 8px" },
    ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--quiet)", border: "none" },
    ".cm-placeholder": { color: "var(--quiet)", fontFamily: "var(--mono)" },
    "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--running-tint)" },
    ".cm-content ::selection": { backgroundColor: "var(--running-tint)" },
    ".cm-cursor": { borderLeftColor: "var(--text)" },
    ".cm-matchingBracket": { backgroundColor: "transparent" },
    "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--running-tint)" },
    ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--failed)" },
    "&.cm-editor .cm-tooltip": {
      backgroundColor: "var(--surface)",
      color: "var(--text)",
      border: "1px solid var(--control)",
      borderRadius: "4px",
      zIndex: "40",
    },
    "&.cm-editor .cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "220px", maxWidth: "340px" },
    "&.cm-editor .cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", display: "flex", gap: "8px" },
    "&.cm-editor .cm-tooltip-autocomplete > ul > li[aria-selected]": {
      backgroundColor: "var(--primary)",
      color: "var(--on-primary)",
    },
    "&.cm-editor .cm-completionLabel": { flex: "1" },
    "&.cm-editor .cm-completionDetail": { fontStyle: "normal", opacity: "0.85" },
    "&.cm-editor .cm-completionInfo": { padding: "6px 8px", maxWidth: "260px", fontFamily: "system-ui, sans-serif" },
    ".cm-diagnostic": {
      borderLeft: "3px solid var(--failed)",
      padding: "4px 8px",
      fontFamily: "system-ui, sans-serif",
    },
  });
}
