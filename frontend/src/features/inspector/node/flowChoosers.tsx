// Choosing a flow and its version for a sub-flow.
import { useEffect, useState } from "react";
import { type FlowInList, listFlows } from "~/api/flowsOfSite";
import { findNode, type JsonObject } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { Select } from "~/ui/Choice";
import { type ControlProps, useForm } from "../form/scope";

let asked: Promise<FlowInList[]> | null = null;

/** The site's flows, read once while the page is open. */
function useFlows(): readonly FlowInList[] {
  const [flows, setFlows] = useState<readonly FlowInList[]>([]);
  useEffect(() => {
    asked ??= listFlows();
    asked.then(setFlows).catch(() => {
      asked = null;
    });
  }, []);
  return flows;
}

export function FlowChooser(props: ControlProps) {
  const { value, onChange, label, pointer } = props;
  const flows = useFlows();
  const { readOnly, Plain } = useForm();
  if (value !== undefined && typeof value !== "string") return <Plain {...props} />;
  const options = flows.map((flow) => ({
    value: flow.id,
    label: `${flow.name} (${flow.id})`,
    description: flow.description,
  }));
  return (
    <Select
      label={label}
      pointer={pointer}
      options={options}
      value={value ?? ""}
      readOnly={readOnly}
      onChange={onChange}
    />
  );
}

export function VersionChooser(props: ControlProps) {
  const { value, onChange, label, pointer } = props;
  const flows = useFlows();
  const { place, readOnly } = useForm();
  const config = useEditor((state) => (place.kind === "node" ? findNode(state.document, place.id)?.config : undefined));
  const newest = flows.find((flow) => flow.id === (config as JsonObject | undefined)?.flow)?.newest_version ?? 0;
  const numbers = Array.from({ length: newest }, (_, index) => newest - index);
  const options = [
    { value: '"self"', label: "The version that runs (the flow calls itself)" },
    ...numbers.map((number) => ({
      value: String(number),
      label: `Version ${number}${number === newest ? " (newest)" : ""}`,
    })),
  ];
  return (
    <Select
      label={label}
      pointer={pointer}
      options={options}
      value={value === undefined ? "" : JSON.stringify(value)}
      readOnly={readOnly}
      onChange={(text) => onChange(text === "" ? undefined : (JSON.parse(text) as number | string))}
    />
  );
}
