// Who has to approve a version before it is published. It stands beside the document: no version holds it.
import { type FormEvent, useEffect, useState } from "react";
import { readReviewSetting, saveReviewSetting } from "~/api/reviews";
import { tell } from "~/store/notices";

type Kind = "nobody" | "person" | "group";

export default function ReviewSetting({ flow }: { flow: string }) {
  const [kind, setKind] = useState<Kind>("nobody");
  const [name, setName] = useState("");
  useEffect(() => {
    readReviewSetting(flow)
      .then(({ person, group }) => {
        setKind(person ? "person" : group ? "group" : "nobody");
        setName(person ?? group ?? "");
      })
      .catch(() => undefined); // saving says what is wrong
  }, [flow]);
  async function save(event: FormEvent) {
    event.preventDefault();
    try {
      await saveReviewSetting(flow, kind === "nobody" ? {} : { [kind]: name.trim() });
      tell(kind === "nobody" ? "Versions need no review now." : `Versions need the approval of ${name.trim()} now.`);
    } catch (error) {
      tell((error as Error).message, "refused");
    }
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <p className="field-help">Who must approve a version before it is published. Nobody approves their own work.</p>
      <label className="field">
        <span className="field-label">Approved by</span>
        <select value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
          <option value="nobody">Nobody</option>
          <option value="person">A person</option>
          <option value="group">A group</option>
        </select>
      </label>
      {kind === "nobody" ? null : (
        <label className="field">
          <span className="field-label">{kind === "person" ? "User name" : "Name of the group"}</span>
          <input type="text" required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
      )}
      <button type="submit">Save who approves</button>
    </form>
  );
}
