// The fields of an edge, out of the document's schema: outcome, condition, label, and whatever else it holds.
import type { FlowEdge, Json, JsonObject } from "~/graph/document";
import { OUTCOME_WORDS, OUTCOMES } from "~/graph/ports";
import { inWords, plain, type Schema } from "~/graph/schema";
import { Select } from "~/ui/Choice";
import { Labelled } from "~/ui/Labelled";
import { useForm, useNotes } from "../form/scope";

const ENDS = ["id", "source", "target", "on"];

interface EdgeFieldsProps {
  edge: FlowEdge;
  schema: Schema;
  onChange(key: string, value: Json | undefined): void;
}

export function EdgeFields({ edge, schema, onChange }: EdgeFieldsProps) {
  const { Field, defs, readOnly } = useForm();
  const notes = useNotes("");
  const properties = (schema.properties ?? {}) as { [key: string]: Schema };
  const values = edge as unknown as JsonObject;
  const others = Object.keys(values).filter((key) => !(key in properties));
  return (
    <>
      <Labelled label="Outcome" group help="By which ending of its source this edge is left." notes={notes}>
        <Select
          label="Outcome"
          pointer="/on"
          options={OUTCOMES.map((outcome) => ({ value: outcome, label: OUTCOME_WORDS[outcome] }))}
          value={edge.on ?? "success"}
          readOnly={readOnly}
          onChange={(outcome) => onChange("on", outcome === "success" ? undefined : outcome)}
        />
      </Labelled>
      {Object.keys(properties)
        .filter((key) => !ENDS.includes(key))
        .map((key) => (
          <Field
            key={key}
            pointer={`/${key}`}
            schema={properties[key] as Schema}
            label={key === "when" ? "Condition" : inWords(key)}
            mode={key === "when" ? "expression" : "plain"}
            value={values[key]}
            onChange={(next) => onChange(key, next)}
          />
        ))}
      {edge.when === undefined ? (
        <p className="field-help">Without a condition this edge is the default: it is taken whenever it is tried.</p>
      ) : null}
      {others.map((key) => (
        <Field
          key={key}
          pointer={`/${key}`}
          schema={plain({}, defs)}
          label={key}
          mode="plain"
          value={values[key]}
          onChange={(next) => onChange(key, next)}
        />
      ))}
    </>
  );
}
