// The id of a node. It changes when the field is left, with all that names it, as one step; a refused
// one stays to be mended, until Escape.
import { useState } from "react";
import type { FlowNode } from "~/graph/document";
import { renameNode, renameRefusal } from "~/graph/rename";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import { usePins } from "~/store/pins";
import { Labelled } from "~/ui/Labelled";
import { TextInput } from "~/ui/TextInputs";
import { useForm, useNotes } from "../form/scope";

export function IdField({ node }: { node: FlowNode }) {
  const { readOnly } = useForm();
  const notes = useNotes("/id");
  const [text, setText] = useState<string | null>(null);
  const document = useEditor((state) => state.document);
  const refusal = text === null ? null : renameRefusal(document, node.id, text);

  function commit() {
    if (refusal) return;
    setText(null);
    if (text === null || text === node.id) return;
    const { nodeTypes } = useCatalog.getState();
    const bare = (type: string) => nodeTypes.find((one) => one.name === type)?.expression_fields ?? [];
    const { apply, select } = useEditor.getState();
    usePins.getState().renamed(node.id, text);
    apply(`Rename ${node.id} to ${text}`, renameNode(node.id, text, bare));
    select([text]);
  }

  return (
    <Labelled
      label="Id"
      group
      help="Expressions name it so: steps.<id>.output. Whatever names it is changed along."
      notes={refusal ? [...notes, { severity: "error", message: refusal }] : notes}
    >
      <TextInput
        label="Id"
        pointer="/id"
        value={text ?? node.id}
        onChange={setText}
        onBlur={commit}
        onEscape={text === null || text === node.id ? undefined : () => setText(null)}
        invalid={refusal !== null}
        readOnly={readOnly}
      />
    </Labelled>
  );
}
