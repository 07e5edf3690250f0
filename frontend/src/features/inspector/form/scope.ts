// What the fields of one form share: whose they are, which problems they have, whether they can be changed.
import { type ComponentType, createContext, useContext, useMemo } from "react";
import type { Spot } from "~/api/expressions";
import type { Json } from "~/graph/document";
import { messageAt, type Place, placeOf } from "~/graph/places";
import type { Schema, Shape } from "~/graph/schema";
import { useEditor } from "~/store/editor";
import { useProblems } from "~/store/problems";
import type { Note } from "~/ui/Labelled";

/** How texts are read: as they are, with placeholders (and value expressions in their place), or as expressions. */
export type Mode = "plain" | "template" | "expression";

export interface FormScope {
  flow: string;
  place: Place;
  spot: Spot;
  readOnly: boolean;
  defs: { [name: string]: Schema };
  notes: ReadonlyMap<string, readonly Note[]>;
  /** The field and the control of written-out values: handed in, since each is made of the others. */
  Field: ComponentType<FieldProps>;
  Plain: ComponentType<ControlProps>;
  /** A control of its own for a field, where one helps people; undefined for most. */
  refine(pointer: string): ComponentType<ControlProps> | undefined;
}

const Nothing = () => null;

export const FormContext = createContext<FormScope>({
  flow: "",
  place: { kind: "settings" },
  spot: {},
  readOnly: true,
  defs: {},
  notes: new Map(),
  Field: Nothing,
  Plain: Nothing,
  refine: () => undefined,
});

export const useForm = () => useContext(FormContext);

/** The problems of a field, but for those of the fields inside it. */
export function useNotes(pointer: string): readonly Note[] {
  return useForm().notes.get(pointer) ?? NONE;
}

const NONE: readonly Note[] = [];

/** The problems at each field of a place. */
export function usePlaceNotes(place: Place): ReadonlyMap<string, readonly Note[]> {
  const problems = useProblems((state) => state.problems);
  const checked = useProblems((state) => state.checked);
  const key = JSON.stringify(place);
  return useMemo(() => {
    const found = new Map<string, Note[]>();
    for (const problem of checked ? problems : []) {
      const at = placeOf(checked as NonNullable<typeof checked>, problem);
      if (JSON.stringify(at.place) !== key) continue;
      const message = messageAt(problem);
      const told = problem.hint ? `${message} ${problem.hint}` : message;
      found.set(at.pointer, [...(found.get(at.pointer) ?? []), { severity: problem.severity, message: told }]);
    }
    return found;
  }, [problems, checked, key]);
}

export interface FieldProps {
  /** JSON pointer within the place. */
  pointer: string;
  schema: Schema;
  value: Json | undefined;
  /** Undefined takes the key away. */
  onChange(value: Json | undefined): void;
  label: string;
  required?: boolean;
  /** A large part is shown though nothing is set: not behind a button. */
  shown?: boolean;
  mode: Mode;
  /** Without label and help of its own: within a row that has them. */
  bare?: boolean;
}

/** What a control is given beside: the shape of its value, and the id that its label names. */
export type ControlProps = FieldProps & { shape: Shape; id: string };

/** Ends the gesture of typing: what is typed next is an undo step of its own. */
export const endGesture = () => useEditor.getState().endGesture();
