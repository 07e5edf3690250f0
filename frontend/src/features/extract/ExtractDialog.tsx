// Making a sub-flow out of the selected nodes: asks for its name, shows why it cannot be made, and puts it in place.
import { useState } from "react";
import { extractNodes, type Reason, reasonsOf } from "~/api/extracting";
import { opened } from "~/graph/document";
import { slugOf } from "~/graph/slug";
import { useEditor } from "~/store/editor";
import { tell } from "~/store/notices";
import Dialog from "~/ui/Dialog";

interface Props {
  flow: string;
  onClose: () => void;
}

export default function ExtractDialog({ flow, onClose }: Props) {
  const [sent] = useState(() => ({ document: useEditor.getState().document, nodes: [...useEditor.getState().nodes] }));
  const [name, setName] = useState("");
  const [id, setId] = useState<string | null>(null);
  const [reasons, setReasons] = useState<Reason[]>([]);
  const [busy, setBusy] = useState(false);
  const slug = id ?? slugOf(name);
  const count = sent.nodes.length === 1 ? "The node becomes" : `The ${sent.nodes.length} nodes become`;
  const place = sent.nodes.length === 1 ? "its" : "their";

  async function make(): Promise<void> {
    setBusy(true);
    setReasons([]);
    try {
      const made = await extractNodes(flow, { ...sent, id: slug, name: name.trim() });
      const { document, apply, select } = useEditor.getState();
      if (document !== sent.document)
        throw new Error(`The draft has changed meanwhile. The new flow ${slug} is there.`);
      apply(`Make the sub-flow ${name.trim()}`, () => opened(made.document));
      select([made.node]);
      tell(`${name.trim()} is a flow of its own now. Undo brings the nodes back here; the new flow stays.`);
      onClose();
    } catch (error) {
      setReasons(reasonsOf(error));
      setBusy(false);
    }
  }

  function show(node: string): void {
    useEditor.getState().select([node]);
    onClose();
  }

  const actions = (
    <>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" form="extract-form" className="primary" disabled={busy || !name.trim() || !slug}>
        Make the sub-flow
      </button>
    </>
  );
  return (
    <Dialog title="Make a sub-flow" actions={actions} onClose={onClose}>
      <form
        id="extract-form"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <p>
          {count} a flow of its own, published as version 1. One node runs it in {place} place; what it reads and gives
          is worked out, and this flow does what it did before.
        </p>
        <div className="field">
          <label htmlFor="extract-name">Name</label>
          <input
            id="extract-name"
            maxLength={200}
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="extract-id">Id</label>
          <input
            id="extract-id"
            maxLength={63}
            spellCheck={false}
            value={slug}
            onChange={(event) => setId(event.target.value)}
          />
        </div>
        <Reasons reasons={reasons} onShow={show} />
      </form>
    </Dialog>
  );
}

function Reasons({ reasons, onShow }: { reasons: readonly Reason[]; onShow: (node: string) => void }) {
  if (!reasons.length) return null;
  return (
    <div role="alert" className="errors">
      <p>This cannot become a sub-flow:</p>
      <ul>
        {reasons.map(({ message, node }) => (
          <li key={`${node} ${message}`}>
            {message}{" "}
            {node ? (
              <button type="button" className="plain" aria-label={`Show ${node}`} onClick={() => onShow(node)}>
                Show
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </div>
  );
}
