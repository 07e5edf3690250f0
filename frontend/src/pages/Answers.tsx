// What the page says and asks: short answers to what was just done, and questions before something is done.
import { useAsk } from "~/store/ask";
import { useNotices } from "~/store/notices";
import AskDialog from "~/ui/AskDialog";
import Notices from "~/ui/Notices";

export default function Answers() {
  const { notice, spoken, dismiss } = useNotices();
  const { question, answer } = useAsk();
  return (
    <>
      <Notices notice={notice} spoken={spoken} onDone={dismiss} />
      {question ? <AskDialog question={question} onAnswer={answer} /> : null}
    </>
  );
}
