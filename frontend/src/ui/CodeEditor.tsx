// CodeMirror as a React component. It lives in a shadow root: there its styles need no inline style element, which the
// site's policy forbids. Loaded only when a first field of code is shown (CodeField).
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, placeholder as hint, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { CodeEditorProps } from "./CodeField";
import { colours, look } from "./codeLook";
import { expressionLanguage, templateLanguage } from "./expressionLanguage";

export default function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const changing = useRef(new Compartment());

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once for a language; what changes goes through `latest`
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true });
    const made = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [...extensionsOf(latest), changing.current.of(changingOf(latest.current))],
      }),
    });
    view.current = made;
    if (latest.current.autoFocus) made.focus();
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [props.language]);

  useEffect(() => {
    const made = view.current;
    if (made && made.state.doc.toString() !== props.value) {
      made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: props.value } });
    }
  }, [props.value]);

  const { label, invalid, readOnly, placeholder } = props;
  useEffect(() => {
    view.current?.dispatch({
      effects: changing.current.reconfigure(changingOf({ label, invalid, readOnly, placeholder })),
    });
  }, [label, invalid, readOnly, placeholder]);

  const { mark } = props;
  useEffect(() => {
    const made = view.current;
    if (!made || latest.current.language === "json") return;
    made.dispatch(setDiagnostics(made.state, mark ? [diagnosticAt(mark, made.state.doc.length)] : []));
  }, [mark]);

  // No tabIndex: with a negative one Tab would pass over all that is in the shadow root.
  return <div ref={host} id={props.id} className="code-host" data-pointer={props.pointer} />;
}

type Latest = { current: CodeEditorProps };

function extensionsOf(latest: Latest): Extension[] {
  const { language, lines } = latest.current;
  const isLine = language === "expression";
  const isShort = isLine || (language === "template" && (lines ?? 1) === 1);
  return [
    history(),
    bracketMatching(),
    closeBrackets(),
    EditorView.lineWrapping,
    tooltips({ position: "fixed" }),
    syntaxHighlighting(colours),
    look(lines ?? 1),
    ...languageOf(language),
    ...(isLine ? [oneLine] : []),
    ...(latest.current.complete ? [autocompletion({ override: [(context) => completions(context, latest)] })] : []),
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      // In a field of one line Enter ends what is typed; Shift+Enter still begins a line.
      ...(isShort ? [{ key: "Enter", run: (made: EditorView) => acceptCompletion(made) || ends(latest) }] : []),
      { key: "=", run: (made) => startsExpression(made, latest) },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const text = update.state.doc.toString();
      if (text !== latest.current.value) latest.current.onChange(text);
    }),
    EditorView.domEventHandlers({
      blur: () => latest.current.onBlur?.(),
      focus: () => latest.current.onFocus?.(),
      beforeinput: typesOver,
    }),
  ];
}

function languageOf(language: CodeEditorProps["language"]): Extension[] {
  if (language === "json") return [json(), linter(jsonFaults), lintGutter(), lineNumbers()];
  if (language === "expression") return [expressionLanguage];
  return language === "template" ? [templateLanguage] : [];
}

/** An empty field is no fault of JSON: it is a value that is left out. */
function jsonFaults(view: EditorView): readonly Diagnostic[] {
  return view.state.doc.length ? jsonParseLinter()(view) : [];
}

/** An expression is one line, however long: Enter and pasted line ends become spaces. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
  const text = transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, " ");
  return [
    {
      changes: { from: 0, to: transaction.startState.doc.length, insert: text },
      selection: { anchor: Math.min(transaction.newSelection.main.head, text.length) },
    },
  ];
});

/**
 * Typing over a selection, as a change of the text. Left to the browser, it would carry the look of what was selected
 * over to what is typed, as a style attribute, which the site's policy forbids.
 */
function typesOver(event: InputEvent, view: EditorView): boolean {
  const { data: text, inputType, isComposing } = event;
  const { main, ranges } = view.state.selection;
  if (inputType !== "insertText" || !text || isComposing || main.empty || ranges.length > 1) return false;
  const typed = () =>
    view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, main.from, main.to, text, typed))) view.dispatch(typed());
  return true;
}

/** What was typed is done with, as when the field is left; the focus stays. */
function ends(latest: Latest): boolean {
  latest.current.onBlur?.();
  return true;
}

/** `=` as the first character of an empty text begins an expression, as in a spreadsheet. */
function startsExpression(view: EditorView, latest: Latest): boolean {
  if (view.state.doc.length > 0 || !latest.current.onEquals) return false;
  latest.current.onEquals();
  return true;
}

function changingOf(props: Pick<CodeEditorProps, "label" | "invalid" | "readOnly" | "placeholder">): Extension {
  return [
    EditorView.contentAttributes.of({
      "aria-label": props.label,
      ...(props.invalid ? { "aria-invalid": "true" } : {}),
      ...(props.readOnly ? { "aria-readonly": "true" } : {}),
    }),
    EditorState.readOnly.of(props.readOnly ?? false),
    EditorView.editable.of(!props.readOnly),
    ...(props.placeholder ? [hint(props.placeholder)] : []),
  ];
}

function diagnosticAt(mark: { position: number; message: string }, length: number): Diagnostic {
  const from = Math.min(mark.position, Math.max(0, length - 1));
  return { from, to: Math.min(from + 1, length), severity: "error", message: mark.message };
}

async function completions(context: CompletionContext, latest: Latest): Promise<CompletionResult | null> {
  const { complete } = latest.current;
  if (!complete) return null;
  const text = context.state.doc.toString();
  const found = await complete(text, context.pos, context.explicit);
  if (!found || context.aborted) return null;
  return {
    from: found.from,
    options: found.options.map((one) => ({
      label: one.label,
      type: one.kind,
      ...(one.detail ? { detail: one.detail } : {}),
      ...(one.info ? { info: one.info } : {}),
      ...(one.apply ? { apply: one.apply } : {}),
      ...(one.boost ? { boost: one.boost } : {}),
    })),
    // A dot begins another list: what follows a name is not among the names.
    validFor: /^\w*$/,
  };
}
