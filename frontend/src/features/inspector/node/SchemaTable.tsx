// A JSON Schema of an object as a table of its fields, or as JSON. Both show the same schema; neither loses any of it.
import { useState } from "react";
import type { JsonObject } from "~/graph/document";
import { isObject } from "~/graph/pointer";
import { addRow, changeRow, isTabular, moveRow, type Row, removeRow, rowsOf, TYPES } from "~/graph/schemaTable";
import { JsonField } from "~/ui/JsonField";
import { Rows } from "~/ui/Rows";
import { Segmented } from "~/ui/Segmented";
import { TextInput } from "~/ui/TextInputs";
import { type ControlProps, endGesture, useForm } from "../form/scope";

export function SchemaTable({ value, onChange, label, pointer }: ControlProps) {
  const { readOnly } = useForm();
  const [isJson, setJson] = useState(!isTabular(value));
  const tabular = isTabular(value);
  return (
    <div className="schema-table" data-pointer={pointer} tabIndex={-1}>
      <Segmented
        small
        label={`Show ${label.toLowerCase()}`}
        options={[
          { value: "table", label: "Table" },
          { value: "json", label: "JSON" },
        ]}
        value={isJson ? "json" : "table"}
        onChange={(next) => setJson(next === "json")}
      />
      {isJson ? (
        <JsonField
          label={`${label} as JSON`}
          pointer={pointer}
          value={value}
          lines={6}
          readOnly={readOnly}
          onChange={onChange}
          onBlur={endGesture}
          refuse={(given) => (isObject(given) ? null : 'A JSON Schema is an object, such as {"type": "object"}.')}
        />
      ) : tabular ? (
        <Table schema={value} label={label} onChange={onChange} />
      ) : (
        <p className="field-help">This schema says more than a table can show. Change it as JSON.</p>
      )}
      {value !== undefined && !readOnly ? (
        <button type="button" className="quiet-button" onClick={() => onChange(undefined)}>
          Leave out
        </button>
      ) : null}
    </div>
  );
}

interface TableProps {
  schema: JsonObject | undefined;
  label: string;
  onChange(schema: JsonObject): void;
}

function Table({ schema, label, onChange }: TableProps) {
  const { readOnly } = useForm();
  const rows = schema ? rowsOf(schema) : [];
  return (
    <Rows
      noun="field"
      count={rows.length}
      readOnly={readOnly}
      addLabel={label === "State" ? "Add a key" : "Add a field"}
      nameOf={(index) => rows[index]?.name ?? ""}
      onAdd={() => onChange(addRow(schema))}
      onRemove={(index) => schema && onChange(removeRow(schema, rows[index]?.name ?? ""))}
      onMove={(from, to) => schema && onChange(moveRow(schema, from, to))}
      render={(index) => {
        const row = rows[index];
        if (!row || !schema) return null;
        return <TableRow row={row} onChange={(change) => onChange(changeRow(schema, row.name, change))} />;
      }}
    />
  );
}

function TableRow({ row, onChange }: { row: Row; onChange(change: Partial<Row>): void }) {
  const { readOnly } = useForm();
  const [name, setName] = useState<string | null>(null);
  return (
    <div className="schema-row">
      <TextInput
        label="Name"
        value={name ?? row.name}
        readOnly={readOnly}
        onChange={setName}
        onBlur={() => {
          if (name !== null && name !== row.name) onChange({ name });
          setName(null);
          endGesture();
        }}
      />
      <select
        aria-label={`Type of ${row.name}`}
        value={row.type}
        disabled={readOnly}
        onChange={(event) => onChange({ type: event.target.value })}
      >
        {row.type === "other" ? <option value="other">Other (see JSON)</option> : null}
        {TYPES.map((type) => (
          <option key={type.value} value={type.value}>
            {type.label}
          </option>
        ))}
      </select>
      <label className="check">
        <input
          type="checkbox"
          checked={row.required}
          disabled={readOnly}
          onChange={(event) => onChange({ required: event.target.checked })}
        />
        <span>Required</span>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={row.sensitive}
          disabled={readOnly}
          onChange={(event) => onChange({ sensitive: event.target.checked })}
        />
        <span>Sensitive</span>
      </label>
      <span className="schema-wide">
        <TextInput
          label={`Description of ${row.name}`}
          placeholder="Description"
          value={row.description}
          readOnly={readOnly}
          onBlur={endGesture}
          onChange={(description) => onChange({ description })}
        />
      </span>
      {row.type === "choice" ? (
        <span className="schema-wide">
          <TextInput
            label={`Options of ${row.name}, separated by commas`}
            placeholder="Options: red, green"
            value={(row.options ?? []).join(", ")}
            readOnly={readOnly}
            onBlur={endGesture}
            onChange={(text) => onChange({ options: text.split(",").map((one) => one.trim()) })}
          />
        </span>
      ) : null}
    </div>
  );
}
