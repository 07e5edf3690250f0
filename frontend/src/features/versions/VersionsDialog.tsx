// The versions of the flow: who published which when and why, comparing any two, taking one up as the new draft.
import { useEffect, useState } from "react";
import { type OpenRuns, readOpenRuns, readVersion, readVersions, type VersionSummary } from "~/api/versions";
import { opened } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { tell } from "~/store/notices";
import Dialog from "~/ui/Dialog";
import { dayAndTime } from "~/ui/times";

interface Props {
  flow: string;
  onClose: () => void;
}

export default function VersionsDialog({ flow, onClose }: Props) {
  const [versions, setVersions] = useState<VersionSummary[] | null>(null);
  const [openRuns, setOpenRuns] = useState<OpenRuns[]>([]);
  const [before, setBefore] = useState<string>("");
  const [after, setAfter] = useState<string>("draft");
  const [failure, setFailure] = useState<string | null>(null);
  const readOnly = useEditor((state) => state.readOnly);

  useEffect(() => {
    Promise.all([readVersions(flow), readOpenRuns(flow)])
      .then(([found, runs]) => {
        setVersions(found);
        setOpenRuns(runs);
        setBefore(String(found[0]?.number ?? ""));
      })
      .catch((error: Error) => setFailure(error.message));
  }, [flow]);

  async function restore(number: number): Promise<void> {
    try {
      const { document } = await readVersion(flow, number);
      useEditor.getState().apply(`Take up version ${number}`, () => opened(document));
      tell(`The draft is now what version ${number} says. Undo brings the draft before it back.`);
      onClose();
    } catch (error) {
      setFailure((error as Error).message);
    }
  }

  const compare = `/flows/${flow}/compare/?before=${before}&after=${after}`;
  const sides = ["draft", ...(versions ?? []).map((one) => String(one.number))];
  const actions = (
    <button type="button" onClick={onClose}>
      Close
    </button>
  );
  return (
    <Dialog title="Versions" actions={actions} onClose={onClose} wide>
      {failure && (
        <p role="alert" className="errors">
          {failure}
        </p>
      )}
      {versions?.length === 0 && <p>Nothing is published yet. The draft becomes version 1 when you publish it.</p>}
      {versions && versions.length > 0 && (
        <>
          <form className="versions-compare" action={`/flows/${flow}/compare/`}>
            <Side label="Compare" name="before" value={before} options={sides} onChange={setBefore} />
            <Side label="with" name="after" value={after} options={sides} onChange={setAfter} />
            <a className="button" href={compare}>
              Compare
            </a>
          </form>
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">What is new</th>
                <th scope="col">Published</th>
                <th scope="col">Open runs</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {versions.map((one) => (
                <tr key={one.number}>
                  <td data-label="Version">v{one.number}</td>
                  <td data-label="What is new">{one.note}</td>
                  <td data-label="Published">
                    <time dateTime={one.created_at}>{dayAndTime(one.created_at)}</time>
                    {one.created_by && ` by ${one.created_by}`}
                  </td>
                  <td data-label="Open runs">{openRuns.find((run) => run.version === one.number)?.open ?? 0}</td>
                  <td className="whole">
                    <a href={`/flows/${flow}/versions/${one.number}/sheet/`}>
                      Sheet<span className="visually-hidden"> of version {one.number}</span>
                    </a>{" "}
                    {!readOnly && (
                      <button type="button" className="plain" onClick={() => void restore(one.number)}>
                        Take up as draft<span className="visually-hidden"> version {one.number}</span>
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {!versions && !failure && <p className="quiet">Reading the versions…</p>}
    </Dialog>
  );
}

interface SideProps {
  label: string;
  name: string;
  value: string;
  options: string[];
  onChange: (value: string) => void;
}

function Side({ label, name, value, options, onChange }: SideProps) {
  return (
    <label className="versions-side">
      {label}
      <select name={name} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option === "draft" ? "the draft" : `version ${option}`}
          </option>
        ))}
      </select>
    </label>
  );
}
