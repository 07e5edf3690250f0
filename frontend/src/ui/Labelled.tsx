// A field with its label, help and problems. What stands in it is given as children.
import { createElement, type ReactNode } from "react";

export interface Note {
  severity: "error" | "warning";
  message: string;
}

export interface LabelledProps {
  label: string;
  /** Id of the control; left out where it carries its name itself. */
  htmlFor?: string | undefined;
  help?: string | undefined;
  required?: boolean;
  notes?: readonly Note[];
  /** Small buttons at the end of the label's line. */
  actions?: ReactNode;
  /** Several controls under one name. */
  group?: boolean;
  pointer?: string | undefined;
  children: ReactNode;
}

export function Labelled(props: LabelledProps) {
  const { label, htmlFor, help, required, notes = [], actions, group, pointer, children } = props;
  const name = (
    <>
      {label}
      {required ? <span className="field-required"> required</span> : null}
    </>
  );
  return (
    <div className="field" {...(group ? { role: "group", "aria-label": label } : {})} data-field={pointer}>
      <div className="field-head">
        {htmlFor ? (
          <label className="field-label" htmlFor={htmlFor}>
            {name}
          </label>
        ) : (
          <span className="field-label">{name}</span>
        )}
        {actions}
      </div>
      {children}
      {help ? <Help text={help} /> : null}
      <Notes notes={notes} />
    </div>
  );
}

/** What is wrong with a field, a line each. */
export function Notes({ notes }: { notes: readonly Note[] }) {
  return notes.map((note) => (
    <p key={note.message} className={`field-note field-note-${note.severity}`}>
      <span className="visually-hidden">{note.severity === "error" ? "Error: " : "Warning: "}</span>
      {note.message}
    </p>
  ));
}

/** A sentence of help; what stands in backticks is code. */
export function Help({ text }: { text: string }) {
  const parts = text.split("`").map((part, place) => (place % 2 ? createElement("code", null, part) : part));
  return createElement("p", { className: "field-help" }, ...parts);
}
