// Rows that can be added, taken away and put in another order, by buttons: what a list is edited with.
import { type ReactNode, useEffect, useRef } from "react";
import Toolbar from "./Toolbar";

export interface RowsProps {
  /** What one row is, for its buttons: "argument 2". */
  noun: string;
  count: number;
  render(index: number): ReactNode;
  onMove?: ((from: number, to: number) => void) | undefined;
  onRemove?: ((index: number) => void) | undefined;
  onAdd?: (() => void) | undefined;
  readOnly?: boolean;
  addLabel?: string | undefined;
  nameOf?: (index: number) => string;
}

export function Rows(props: RowsProps) {
  const { noun, count, render, onMove, onRemove, onAdd, readOnly, addLabel, nameOf } = props;
  const name = (index: number) => nameOf?.(index) || `${noun} ${index + 1}`;
  const list = useRef<HTMLOListElement>(null);
  const isAdding = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once there is a row more, that is where one goes on
  useEffect(() => {
    if (isAdding.current) stand(list.current?.lastElementChild?.querySelector(".row-main"));
    isAdding.current = false;
  }, [count]);
  return (
    <div className="rows">
      <ol className="rows-list" ref={list}>
        {Array.from({ length: count }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
          <li key={index} className="row">
            <div className="row-main">{render(index)}</div>
            {readOnly ? null : (
              <Toolbar className="row-buttons" label={`${name(index)} in the list`}>
                {onMove ? (
                  <>
                    <IconButton
                      label={`Move ${name(index)} up`}
                      disabled={index === 0}
                      onClick={() => onMove(index, index - 1)}
                    >
                      ↑
                    </IconButton>
                    <IconButton
                      label={`Move ${name(index)} down`}
                      disabled={index === count - 1}
                      onClick={() => onMove(index, index + 1)}
                    >
                      ↓
                    </IconButton>
                  </>
                ) : null}
                {onRemove ? (
                  <IconButton label={`Remove ${name(index)}`} onClick={() => onRemove(index)}>
                    ×
                  </IconButton>
                ) : null}
              </Toolbar>
            )}
          </li>
        ))}
      </ol>
      {onAdd && !readOnly ? (
        <button
          type="button"
          className="quiet-button"
          onClick={() => {
            isAdding.current = true;
            onAdd();
          }}
        >
          {addLabel ?? `Add ${noun}`}
        </button>
      ) : null}
    </div>
  );
}

/** In the first field of a row, what stands in it selected: it is about to be written anew. */
function stand(row: Element | null | undefined): void {
  const field = row?.querySelector<HTMLElement>("input, select, textarea, .code-host") ?? row?.querySelector("button");
  field?.focus();
  if (field instanceof HTMLInputElement && field.type === "text") field.select();
}

export interface IconButtonProps {
  label: string;
  disabled?: boolean;
  pressed?: boolean;
  onClick(): void;
  children: ReactNode;
}

export function IconButton({ label, disabled, pressed, onClick, children }: IconButtonProps) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      aria-disabled={disabled || undefined}
      aria-pressed={pressed}
      onClick={() => !disabled && onClick()}
    >
      {children}
    </button>
  );
}
