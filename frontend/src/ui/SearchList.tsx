// A search field over a list: arrows move through it, Enter takes what is marked, a click too. One tab stop.
import {
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";

export interface Item {
  key: string;
  title: string;
  detail?: string;
  group?: string;
  icon?: ReactNode;
  /** Shown at the end of the line: keys. */
  hint?: string;
  /** Why it cannot be taken; it stays in the list and says so. */
  refusal?: string | null;
}

interface Props<Entry extends Item> {
  label: string;
  placeholder: string;
  /** What is shown for a query. */
  search: (query: string) => readonly Entry[];
  onChoose: (item: Entry) => void;
  onCancel?: () => void;
  autoFocus?: boolean;
  /** Said where nothing is found. */
  none?: string;
  onDragStart?: (item: Entry, event: DragEvent) => void;
  /** The marked item changes. */
  onMark?: (item: Entry | undefined) => void;
}

export default function SearchList<Entry extends Item>(props: Props<Entry>) {
  const { label, placeholder, search, onChoose, onCancel, autoFocus, none = "Nothing found.", onMark } = props;
  const [query, setQuery] = useState("");
  const [marked, setMarked] = useState(0);
  const items = useMemo(() => search(query), [search, query]);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const at = Math.min(marked, items.length - 1);

  useLayoutEffect(() => {
    if (!autoFocus) return;
    // A dialog that opens around it looks for this attribute, which React does not write.
    input.current?.setAttribute("autofocus", "");
    input.current?.focus({ preventScroll: true });
  }, [autoFocus]);
  useEffect(() => {
    const item = list.current?.querySelector(`[data-index="${at}"]`);
    // The first one comes with its heading.
    if (at <= 0 && list.current) list.current.scrollTop = 0;
    else item?.scrollIntoView?.({ block: "nearest" });
    onMark?.(items[at]);
  }, [at, items, onMark]);

  function onKeyDown(event: KeyboardEvent) {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8 };
    const move = moves[event.key];
    if (move !== undefined) setMarked(Math.max(0, Math.min(items.length - 1, move)));
    else if (event.key === "Enter") choose(items[at]);
    else if (event.key === "Escape" && query) setQuery("");
    else if (event.key === "Escape" && onCancel) onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function choose(item: Entry | undefined) {
    if (item && !item.refusal) onChoose(item);
  }

  return (
    <div className="search-list">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setMarked(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="search-items" role="listbox" id={`${id}-list`} aria-label={label} ref={list} tabIndex={-1}>
        {items.map((item, index) => (
          <Line
            key={`${item.group ?? ""}:${item.key}`}
            id={`${id}-${index}`}
            index={index}
            item={item}
            heading={item.group !== items[index - 1]?.group ? item.group : undefined}
            marked={index === at}
            onClick={() => choose(item)}
            onDragStart={props.onDragStart ? (event) => props.onDragStart?.(item, event) : undefined}
          />
        ))}
      </div>
      <p className="search-none small quiet" role="status">
        {items.length ? "" : none}
      </p>
    </div>
  );
}

interface LineProps {
  id: string;
  index: number;
  item: Item;
  heading: string | undefined;
  marked: boolean;
  onClick: () => void;
  onDragStart: ((event: DragEvent) => void) | undefined;
}

function Line({ id, index, item, heading, marked, onClick, onDragStart }: LineProps) {
  return (
    <>
      {heading ? (
        <div className="search-group" aria-hidden="true">
          {heading}
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above moves through the options and takes them by Enter */}
      <div
        role="option"
        id={id}
        data-index={index}
        tabIndex={-1}
        aria-selected={marked}
        aria-disabled={item.refusal ? true : undefined}
        className="search-item"
        draggable={onDragStart ? true : undefined}
        onDragStart={onDragStart}
        onMouseDown={onDragStart ? undefined : (event) => event.preventDefault()}
        onClick={onClick}
      >
        {item.icon}
        <span className="search-text">
          <span className="search-title">{item.title}</span>
          {item.refusal || item.detail ? <span className="search-detail">{item.refusal || item.detail}</span> : null}
        </span>
        {item.hint ? <kbd>{item.hint}</kbd> : null}
      </div>
    </>
  );
}
