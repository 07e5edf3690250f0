// The second line of a card while something is shown of it: how it stands; where it gave something, the beginning of that.
import { type StepOverlay, seenWords, stateWords, valueWords } from "./overlay";

export default function StateLine({ overlay }: { overlay: StepOverlay }) {
  const { value, earlier } = overlay;
  if (!value) return seenWords(overlay);
  return (
    <span title={seenWords(overlay)}>
      <span className="visually-hidden">{stateWords(overlay)}: </span>
      {earlier ? `${earlier}: ` : ""}
      <span className="state-value">{valueWords(value)}</span>
    </span>
  );
}
