// The field in which a node is renamed: Enter keeps, Esc leaves the name as it was.
import type { ComponentProps } from "react";
import { endRenaming } from "~/store/renaming";

export default function NameField({ name, ...rest }: { name: string } & ComponentProps<"input">) {
  return (
    <input
      {...rest}
      aria-label={`Name of ${name}`}
      defaultValue={name}
      ref={takeFocus}
      onBlur={(event) => endRenaming(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") endRenaming(event.currentTarget.value);
        if (event.key === "Escape") endRenaming(null);
      }}
    />
  );
}

/** One function for all drawings: another each time would select the text again while somebody writes. */
function takeFocus(field: HTMLInputElement | null) {
  field?.focus({ preventScroll: true });
  field?.select();
}
