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
  const [failure, setFailure] = useState<string | null>(null);
  /** The flow that was made while the draft went on: it is there, and nothing leads to it. */
  const [loose, setLoose] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const slug = id ?? slugOf(name);
  const count = sent.nodes.length === 1 ? "The node becomes" : `The ${sent.nodes.length} nodes become`;
  const place = sent.nodes.length === 1 ? "its" : "their";

  async function make(): Promise<void> {
    setBusy(true);
    setReasons([]);
    setFailure(null);
    try {
      const made = await extractNodes(flow, { ...sent, id: slug, name: name.trim() });
      const { document, apply, select } = useEditor.getState();
      if (document !== sent.document) {
        setLoose(made.flow.id);
        return;
      }
      apply(`Make the sub-flow ${name.trim()}`, () => opened(made.document));
      select([made.node]);
      tell(`${name.trim()} is a flow of its own now. Undo brings the nodes back here; the new flow stays.`);
      onClose();
    } catch (error) {
      const found = reasonsOf(error);
      if (found) setReasons(found);
      else setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  }

  function show(node: string): void {
    useEditor.getState().select([node]);
    onClose();
  }

  if (loose !== null) return <Loose flow={loose} name={name.trim()} onClose={onClose} />;
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
        {failure ? (
          <p role="alert" className="errors">
            The sub-flow was not made. {failure}
          </p>
        ) : null}
      </form>
    </Dialog>
  );
}

/** The new flow was made; the draft, which went on meanwhile, stays as it is. */
function Loose({ flow, name, onClose }: { flow: string; name: string; onClose: () => void }) {
  const actions = (
    <button type="button" className="primary" onClick={onClose}>
      Close
    </button>
  );
  return (
    <Dialog title="The draft has changed meanwhile" actions={actions} onClose={onClose}>
      <p role="alert">
        The sub-flow was made, but this flow was changed while it was being made. So nothing was put in place of the
        nodes, and what was changed stays.
      </p>
      <p>
        To use it, add a node that runs <a href={`/flows/${flow}/`}>{name}</a> and take the nodes out, or make the
        sub-flow again under another id.
      </p>
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
