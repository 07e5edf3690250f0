// Under a field of expressions: what it gives now, where the values come from, what it read. Errors show their place.
import type { Preview, PreviewRead } from "~/api/expressions";
import type { Told } from "./usePreview";

const SHOWN = 200;

export function PreviewLine({ told, text }: { told: Told; text: string }) {
  // There before it says anything: what appears together with its text is not read out.
  return (
    <div className={told === null ? undefined : "preview"} role="status">
      {told === null ? null : "failure" in told ? (
        <p className="preview-quiet">{told.failure}</p>
      ) : (
        <Worked preview={told.preview} text={text} />
      )}
    </div>
  );
}

function Worked({ preview, text }: { preview: Preview; text: string }) {
  return (
    <>
      {preview.error ? <PreviewError preview={preview} text={text} /> : <PreviewValue preview={preview} />}
      {preview.consequence ? <p className="preview-consequence">{preview.consequence}</p> : null}
      {preview.reads.some((read) => read.result === "missing") ? <Missing reads={preview.reads} /> : null}
      {preview.told ? <p className="preview-quiet">{preview.told}</p> : null}
    </>
  );
}

function PreviewValue({ preview }: { preview: Preview }) {
  if (preview.result === "covered") return <p>= covered: it may hold sensitive values</p>;
  if (preview.result === "missing") return <p>= missing: nothing has this name here, which is not null</p>;
  const shown = preview.shown.length > SHOWN ? `${preview.shown.slice(0, SHOWN)}…` : preview.shown;
  return (
    <p className="preview-value">
      = <code>{shown}</code>
      {preview.cut && preview.shown.length <= SHOWN ? "…" : ""} <span className="preview-type">: {preview.type}</span>
    </p>
  );
}

function PreviewError({ preview, text }: { preview: Preview; text: string }) {
  const { error } = preview;
  if (!error) return null;
  const { position } = error;
  return (
    <>
      {position !== null && position <= text.length && !text.includes("\n") ? (
        <pre className="preview-caret" aria-hidden="true">
          {text}
          {"\n"}
          {" ".repeat(position)}^
        </pre>
      ) : null}
      <p className="field-note field-note-error">
        {capital(error.message)}
        {position === null ? "" : ` (at character ${position + 1})`}
        {error.at.length ? ` in ${error.at.join(" › ")}` : ""}
      </p>
      {error.forms ? (
        <details className="preview-forms">
          <summary>What can be written</summary>
          <p>{error.forms}</p>
        </details>
      ) : null}
    </>
  );
}

function Missing({ reads }: { reads: readonly PreviewRead[] }) {
  const places = reads.filter((read) => read.result === "missing").map((read) => read.place);
  return <p className="preview-quiet">Without a value: {places.join(", ")}.</p>;
}

function capital(text: string): string {
  const told = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(told) ? told : `${told}.`;
}
