// What a test expects: values of the last try, each taken or left by a click, and what is expected besides.
import type { Offer, TestContent } from "~/api/flowTests";
import type { Json } from "~/graph/document";
import { expectedAt, withExpected } from "~/graph/flowTest";
import { JsonField } from "~/ui/JsonField";
import { shown } from "./words";

interface Props {
  content: TestContent;
  offers: readonly Offer[];
  onChange: (content: TestContent) => void;
  readOnly: boolean;
}

const same = (one: Json | undefined, other: Json | undefined) => JSON.stringify(one) === JSON.stringify(other);

export default function Expectations({ content, offers, onChange, readOnly }: Props) {
  const expect = (key: readonly string[], value: Json | undefined) =>
    onChange(withExpected(content, key, value) as TestContent);
  return (
    <div className="test-form">
      <h3>Expected</h3>
      <p className="quiet">Click what has to be the same each time. The values are those of the last try.</p>
      <ul className="test-offers">
        {offers.map((offer) => (
          <Choice
            key={offer.key.join(".")}
            offer={offer}
            expected={expectedAt(content, offer.key)}
            readOnly={readOnly}
            onExpect={(value) => expect(offer.key, value)}
          />
        ))}
      </ul>
      {!offers.length && <p className="quiet">Try the test to see what comes of it.</p>}
      <details className="test-queue">
        <summary>The way it takes, and everything else that is expected</summary>
        <JsonField
          label="Everything that is expected"
          value={content.expect}
          lines={6}
          readOnly={readOnly}
          onChange={(value) => onChange({ ...content, expect: value ?? {} })}
        />
      </details>
    </div>
  );
}

interface ChoiceProps {
  offer: Offer;
  expected: Json | undefined;
  readOnly: boolean;
  onExpect: (value: Json | undefined) => void;
}

function Choice({ offer, expected, readOnly, onExpect }: ChoiceProps) {
  const isExpected = expected !== undefined;
  const differs = isExpected && !same(expected, offer.value);
  return (
    <li className="test-offer">
      <label>
        <input
          type="checkbox"
          checked={isExpected}
          disabled={readOnly}
          onChange={() => onExpect(isExpected ? undefined : offer.value)}
        />
        <span>
          <strong>{offer.label}</strong> <code>{shown(offer.value)}</code>
        </span>
      </label>
      {differs && (
        <p className="test-differs">
          Expected is <code>{shown(expected)}</code>{" "}
          {!readOnly && (
            <button type="button" className="quiet-button" onClick={() => onExpect(offer.value)}>
              Expect what was found
            </button>
          )}
        </p>
      )}
    </li>
  );
}
