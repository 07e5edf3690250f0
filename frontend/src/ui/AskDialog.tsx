// A question before something is done. The safe answer has the focus.
import Dialog from "./Dialog";

interface Props {
  question: { title: string; text?: string; lines?: readonly string[]; confirm: string };
  onAnswer: (yes: boolean) => void;
}

export default function AskDialog({ question, onAnswer }: Props) {
  const actions = (
    <>
      <button type="button" onClick={() => onAnswer(false)}>
        Cancel
      </button>
      <button type="button" className="primary" onClick={() => onAnswer(true)}>
        {question.confirm}
      </button>
    </>
  );
  return (
    <Dialog title={question.title} actions={actions} onClose={() => onAnswer(false)}>
      {question.text ? <p>{question.text}</p> : null}
      {question.lines?.length ? (
        <ul>
          {question.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
    </Dialog>
  );
}
