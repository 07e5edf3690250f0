// A form of a node, an edge or the settings: gives its fields what they share, and writes what they change.
import { type ComponentType, type ReactNode, useMemo } from "react";
import type { Spot } from "~/api/expressions";
import type { Json } from "~/graph/document";
import { setIn } from "~/graph/edits";
import type { Place } from "~/graph/places";
import type { Schema } from "~/graph/schema";
import { useEditor } from "~/store/editor";
import { PlainControl, SchemaField } from "./SchemaField";
import { type ControlProps, FormContext, usePlaceNotes } from "./scope";

export type Refine = (pointer: string) => ComponentType<ControlProps> | undefined;

const NO_REFINEMENT: Refine = () => undefined;

export interface SchemaFormProps {
  flow: string;
  place: Place;
  spot: Spot;
  defs: { [name: string]: Schema };
  refine?: Refine;
  children: ReactNode;
}

export function SchemaForm({ flow, place, spot, defs, refine = NO_REFINEMENT, children }: SchemaFormProps) {
  const readOnly = useEditor((state) => state.readOnly);
  const notes = usePlaceNotes(place);
  const key = JSON.stringify([place, spot]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: place and spot are made anew at each drawing; `key` tells them apart
  const scope = useMemo(
    () => ({ flow, place, spot, readOnly, defs, notes, refine, Field: SchemaField, Plain: PlainControl }),
    [flow, key, readOnly, defs, notes, refine],
  );
  return <FormContext.Provider value={scope}>{children}</FormContext.Provider>;
}

/** Write a field. Typing on in one field is one undo step; a choice, a row moved or removed is one each. */
export function write(place: Place, pointer: string, label: string, value: Json | undefined) {
  const gesture = isTyping() ? `${place.kind}:${"id" in place ? place.id : ""}${pointer}` : undefined;
  useEditor.getState().apply(`Change ${label.toLowerCase()}`, setIn(place, pointer, value), gesture);
}

function isTyping(): boolean {
  const field = document.activeElement;
  return field?.matches("input:not([type=checkbox], [type=radio]), textarea, .code-host") ?? false;
}
