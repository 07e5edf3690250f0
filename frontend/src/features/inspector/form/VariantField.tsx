// A value of one of several kinds: a switch for the kind, below it that kind's field.
import { useId, useRef } from "react";
import type { Json } from "~/graph/document";
import { blankOf, plain, shapeOf, variantOf, variantsOf, variantTitle } from "~/graph/schema";
import { JsonField } from "~/ui/JsonField";
import { Segmented } from "~/ui/Segmented";
import { ExpressionField } from "../fields/ExpressionField";
import { type FieldProps, useForm } from "./scope";

export function VariantField(props: FieldProps) {
  const { value, onChange, label, pointer, mode, schema } = props;
  const { readOnly, defs, Plain } = useForm();
  const id = useId();
  const kept = useRef<Record<number, Json | undefined>>({});
  const variants = variantsOf(shapeOf(schema, defs));
  const chosen = value === undefined ? -1 : variantOf(variants, value, defs);
  const variant = variants[chosen];
  const inner = variant ? { ...plain(variant, defs), title: undefined } : null;

  function choose(next: number) {
    kept.current[chosen] = value;
    const wanted = variants[next];
    onChange(kept.current[next] ?? (wanted ? blankOf(wanted, defs) : null));
  }

  return (
    <div className="variants" data-pointer={variant ? undefined : pointer} tabIndex={-1}>
      <Segmented
        label={`Kind of ${label.toLowerCase()}`}
        options={variants.map((one, index) => ({ value: index, label: variantTitle(one, defs) }))}
        value={chosen}
        onChange={choose}
        disabled={readOnly}
        small
      />
      {inner && mode !== "plain" && typeof value === "string" ? (
        <ExpressionField
          label={label}
          pointer={pointer}
          text={value}
          kind={mode}
          {...(mode === "template" ? { onEquals: () => onChange({ $expr: "" }) } : {})}
          onChange={onChange}
        />
      ) : inner ? (
        <Plain
          {...props}
          mode={mode === "plain" ? "plain" : "template"}
          schema={inner}
          shape={shapeOf(inner, defs)}
          id={id}
        />
      ) : value !== undefined ? (
        <JsonField label={`${label} as JSON`} pointer={pointer} value={value} onChange={onChange} readOnly={readOnly} />
      ) : null}
    </div>
  );
}
