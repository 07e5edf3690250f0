// What a test gives the flow: its name, inputs, replies of calls, decisions, and what people do.
import type { TestContent } from "~/api/flowTests";
import type { Input, Json, JsonObject } from "~/graph/document";
import { queuesOf } from "~/graph/flowTest";
import { isObject } from "~/graph/pointer";
import { useEditor } from "~/store/editor";
import { JsonField } from "~/ui/JsonField";
import { Labelled } from "~/ui/Labelled";
import { TextInput } from "~/ui/TextInputs";
import Decisions from "./Decisions";

interface Props {
  content: TestContent;
  onChange: (content: TestContent) => void;
  readOnly: boolean;
}

/** The content with another value under a key; undefined takes the key away. */
function withKey(content: TestContent, key: string, value: Json | undefined): TestContent {
  const { [key]: _, ...others } = content;
  return (value === undefined ? others : { ...content, [key]: value }) as TestContent;
}

const objectAt = (content: TestContent, key: string): JsonObject => {
  const found = content[key];
  return isObject(found) ? found : {};
};

export default function TestForm({ content, onChange, readOnly }: Props) {
  const document = useEditor((state) => state.document);
  const inputs = objectAt(content, "inputs");
  const replies = objectAt(content, "replies");
  const set = (key: string, value: Json | undefined) => onChange(withKey(content, key, value));
  const inner = (key: string, object: JsonObject, name: string, value: Json | undefined) => {
    const { [name]: _, ...others } = object;
    set(key, value === undefined ? others : { ...object, [name]: value });
  };
  return (
    <div className="test-form">
      <Labelled label="Name" htmlFor="test-name">
        <TextInput
          label="Name"
          id="test-name"
          value={content.name}
          readOnly={readOnly}
          onChange={(name) => set("name", name)}
        />
      </Labelled>
      <h3>Inputs</h3>
      {!document.inputs?.length && <p className="quiet">The flow has no inputs.</p>}
      {document.inputs?.map((input) => (
        <InputOfTest
          key={input.name}
          input={input}
          value={inputs[input.name]}
          readOnly={readOnly}
          onChange={(value) => inner("inputs", inputs, input.name, value)}
        />
      ))}
      {document.presets?.length ? (
        <Labelled label="Preset" htmlFor="test-preset">
          <select
            id="test-preset"
            disabled={readOnly}
            value={typeof content.preset === "string" ? content.preset : ""}
            onChange={(event) => set("preset", event.target.value || undefined)}
          >
            <option value="">None</option>
            {document.presets.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name || one.id}
              </option>
            ))}
          </select>
        </Labelled>
      ) : null}
      <h3>Replies</h3>
      <p className="quiet">
        Each call gets the next reply of its list, the last one repeats. Nothing is really called.
      </p>
      {queuesOf(document, replies).map(({ name, label }) => (
        <details key={name} className="test-queue" open={name in replies}>
          <summary>
            {label} <span className="quiet">{repliesWords(replies[name])}</span>
          </summary>
          <JsonField
            label={`Replies of ${label}`}
            value={replies[name]}
            lines={3}
            readOnly={readOnly}
            placeholder={placeholderOf(name)}
            refuse={(value) => (Array.isArray(value) ? null : "Replies are a list: [{ … }].")}
            onChange={(value) => inner("replies", replies, name, value)}
          />
        </details>
      ))}
      <h3>What people do</h3>
      <Decisions value={content.decisions} readOnly={readOnly} onChange={(value) => set("decisions", value)} />
      <details className="test-queue" open={Array.isArray(content.actions) && content.actions.length > 0}>
        <summary>Signals, cancelling, pausing, trying again</summary>
        <JsonField
          label="Actions"
          value={content.actions}
          lines={3}
          readOnly={readOnly}
          placeholder='[{"when": "step-waiting hold", "do": "signal", "key": "go", "value": 1}]'
          onChange={(value) => set("actions", value)}
        />
      </details>
    </div>
  );
}

function repliesWords(replies: Json | undefined): string {
  if (!Array.isArray(replies)) return "no reply given";
  return replies.length === 1 ? "1 reply" : `${replies.length} replies`;
}

function placeholderOf(queue: string): string {
  if (queue.startsWith("llm:")) return '[{"text": "…"}]';
  return queue.startsWith("handler:") ? '[{"delta": {"key": "value"}}]' : '[{"result": …}]';
}

const TEXTS = new Set(["short_text", "long_text", "choice", "date"]);

interface InputProps {
  input: Input;
  value: Json | undefined;
  readOnly: boolean;
  onChange: (value: Json | undefined) => void;
}

function InputOfTest({ input, value, readOnly, onChange }: InputProps) {
  const isText = TEXTS.has(input.type) && (value === undefined || typeof value === "string");
  return (
    <Labelled label={input.name} required={input.required ?? false} group>
      {isText ? (
        <TextInput
          label={input.name}
          value={typeof value === "string" ? value : ""}
          long={input.type === "long_text"}
          readOnly={readOnly}
          onChange={(text) => onChange(text === "" ? undefined : text)}
        />
      ) : (
        <JsonField label={input.name} value={value} lines={1} readOnly={readOnly} onChange={onChange} />
      )}
    </Labelled>
  );
}
