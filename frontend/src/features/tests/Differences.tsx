// Where a test differed: the step, what was expected, what was found. A click shows the node on the canvas.
import type { TestDifference, TestResult } from "~/api/flowTests";
import { findNode, type Json, labelOf } from "~/graph/document";
import { differingKeys } from "~/graph/flowTest";
import { useEditor } from "~/store/editor";
import { usePanels } from "~/store/panels";
import { canvasView } from "~/store/view";
import { placeWords, shown } from "./words";

export default function Differences({ result }: { result: TestResult }) {
  if (result.fault)
    return (
      <p className="test-fault">
        <strong>It could not be run.</strong> {result.fault}
      </p>
    );
  return (
    <ul className="test-differences">
      {result.differences.map((one) => (
        <Difference key={`${one.place} ${one.text}`} difference={one} />
      ))}
    </ul>
  );
}

/** Show a node on the canvas and in the inspector. */
export function showNode(id: string): void {
  canvasView()?.reveal([id]);
  usePanels.getState().openInspector({ kind: "node", id });
}

function Difference({ difference }: { difference: TestDifference }) {
  const { place, node, text, expected, found } = difference;
  const about = useEditor((state) => (node ? findNode(state.document, node) : undefined));
  const keys = differingKeys(expected, found);
  return (
    <li className="test-difference">
      <p>
        <strong>{placeWords(place)}</strong>
        {node && about && (
          <button type="button" className="quiet-button" onClick={() => showNode(node)}>
            Show {labelOf(about)}
          </button>
        )}
      </p>
      {keys ? (
        keys.map((one) => <Pair key={one.key} name={one.key} expected={one.expected} found={one.found} />)
      ) : expected !== undefined || found !== undefined ? (
        <Pair expected={expected} found={found} />
      ) : (
        <pre className="test-text">{text}</pre>
      )}
    </li>
  );
}

interface PairProps {
  name?: string;
  expected: Json | undefined;
  found: Json | undefined;
}

function Pair({ name, expected, found }: PairProps) {
  return (
    <dl className="test-pair">
      <dt>{name ? `${name}: expected` : "Expected"}</dt>
      <dd>
        <code>{shown(expected)}</code>
      </dd>
      <dt>Found</dt>
      <dd>
        <code>{shown(found)}</code>
      </dd>
    </dl>
  );
}
