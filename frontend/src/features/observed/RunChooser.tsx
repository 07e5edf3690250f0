// Which run's values are shown: the newest ones in a searchable list, any other one by its id.
import { useCallback, useRef, useState } from "react";
import type { RunInList } from "~/api/expressions";
import { ranWords, runWords } from "~/nodes/runWords";
import { useObserving } from "~/store/observing";
import Popover from "~/ui/Popover";
import SearchList, { type Item } from "~/ui/SearchList";

interface Props {
  current: string;
  version: number | null;
  /** Of a try of single steps: their nodes. */
  trial: readonly string[] | null;
}

const WHOLE_ID = /^[0-9a-f]{32}$/;

export default function RunChooser({ current, version, trial }: Props) {
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const runs = useObserving((state) => state.runs);
  const search = useCallback((query: string) => found(runs, query, current), [runs, current]);
  const close = useCallback(() => setAt(null), []);
  const back = () => {
    close();
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="quiet-button"
        aria-haspopup="dialog"
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          void useObserving.getState().list();
          setAt({ x: left, y: bottom + 4 });
        }}
      >
        Values of run <span className="mono">{current.slice(0, 8)}</span>,{" "}
        {version === null && !trial ? "of a draft" : ranWords({ version: { number: version }, trial })} ▾
      </button>
      {at ? (
        <Popover label="Show the values of" x={at.x} y={at.y} onClose={close}>
          <SearchList
            label="Show the values of"
            placeholder="Search runs, or paste an id"
            search={search}
            none="No run of the newest has these words. Paste the whole id of an older one."
            autoFocus
            onCancel={back}
            onChoose={(item) => {
              back();
              void useObserving.getState().choose(runs.find((run) => run.id === item.key) ?? item.key);
            }}
          />
        </Popover>
      ) : null}
    </>
  );
}

function found(runs: readonly RunInList[], query: string, current: string): Item[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const items = runs.map((run) => ({
    key: run.id,
    title: runWords(run),
    ...(run.id === current ? { hint: "shown" } : {}),
  }));
  const fitting = items.filter(({ key, title }) =>
    words.every((word) => title.toLowerCase().includes(word) || key.startsWith(word)),
  );
  const [whole] = words;
  if (!fitting.length && words.length === 1 && whole && WHOLE_ID.test(whole))
    return [{ key: whole, title: `Run ${whole}` }];
  return fitting;
}
