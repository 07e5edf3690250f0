// What nodes are called when they are read out.
import { labelOf } from "~/graph/document";
import type { Box } from "~/graph/geometry";
import { portName } from "~/graph/ports";

/** "Fetch invoice, tool call, 2 outputs: next, error; step 4 of 12". */
export function spokenName(box: Box, title: string, place: number, total: number, problems = ""): string {
  const ports = box.ports.filter((port) => port.kind !== "new");
  const outputs = ports.length > 1 ? `${ports.length} outputs: ${ports.map(portName).join(", ")}` : "";
  const holds = box.container
    ? `${box.holds} ${box.holds === 1 ? "step" : "steps"} inside${box.frame ? "" : ", collapsed"}`
    : "";
  const off = box.node.enabled === false ? "disabled" : "";
  const parts = [labelOf(box.node), title.toLowerCase(), off, problems, holds, outputs, `step ${place} of ${total}`];
  return parts.filter(Boolean).join(", ");
}
