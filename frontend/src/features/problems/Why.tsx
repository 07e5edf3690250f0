// Why a problem is one: the reason of its check, and an example with just this problem, wrong and right.
import { useEffect, useState } from "react";
import { type Explanation, readExplanations } from "~/api/explaining";

export default function Why({ code }: { code: string }) {
  const [found, setFound] = useState<Explanation | string | null>(null);
  useEffect(() => {
    let gone = false;
    readExplanations()
      .then((all) => gone || setFound(all.get(code) ?? "There is no explanation of this check."))
      .catch((error: Error) => gone || setFound(`The explanation could not be read: ${error.message}`));
    return () => {
      gone = true;
    };
  }, [code]);
  if (found === null) return <p className="problem-why quiet">Reading…</p>;
  if (typeof found === "string") return <p className="problem-why">{found}</p>;
  return (
    <section className="problem-why" aria-label="Why is this a problem?">
      <p>{found.reason}</p>
      <div className="problem-examples">
        <Example title="Wrong" document={found.wrong} />
        <Example title="Right" document={found.right} />
      </div>
    </section>
  );
}

/** One line for each node and edge; of very many the first few. */
function Example({ title, document }: { title: string; document: Record<string, unknown> }) {
  const lines = Object.entries(document).flatMap(([key, value]) => {
    if (!Array.isArray(value)) return [`${key}: ${JSON.stringify(value)}`];
    const shown = value.length > 8 ? value.slice(0, 3) : value;
    const more = value.length - shown.length;
    return [`${key}:`, ...shown.map((one) => `  ${JSON.stringify(one)}`), ...(more ? [`  … and ${more} more`] : [])];
  });
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>{lines.join("\n")}</pre>
    </figure>
  );
}
