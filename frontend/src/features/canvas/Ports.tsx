// Where edges come into a node and leave it. A press opens the picker, dragging draws an edge.
import { Handle, Position } from "@xyflow/react";
import type { MouseEvent } from "react";
import { type Box, inletOf, outletOf } from "~/graph/geometry";
import { type Port, portName } from "~/graph/ports";
import { useLayers } from "~/nodes/layers";
import { usePicker } from "~/store/picker";

export default function Ports({ box }: { box: Box }) {
  const { editable } = useLayers();
  const inlet = inletOf(box);
  const shown = editable ? box.ports : box.ports.filter((port) => port.kind !== "new");
  return (
    <>
      <Handle
        type="target"
        position={Position.Left}
        className="port port-in"
        style={{ left: inlet.x, top: inlet.y }}
        isConnectable={editable}
        isConnectableStart={false}
      />
      {shown.map((port) => (
        <Outlet key={port.id} box={box} port={port} editable={editable} />
      ))}
      {editable && box.ports.length ? (
        <Handle
          type="source"
          id="more"
          position={Position.Bottom}
          className="port port-more"
          style={{ left: box.width - 24, top: box.height }}
          title="Error, timeout and other outcomes"
          onClick={(event) => openOutcomes(event, box.id)}
        />
      ) : null}
    </>
  );
}

function Outlet({ box, port, editable }: { box: Box; port: Port; editable: boolean }) {
  const at = outletOf(box, port);
  const free = editable && !port.edges.length;
  const name = portName(port);
  const hint = editable ? `${name}: drag to connect, press to add a node` : name;
  return (
    <Handle
      type="source"
      id={port.id}
      position={Position.Right}
      className={`port port-${port.kind} out-${port.outcome}${free ? " port-free" : ""}`}
      style={{ left: at.x, top: at.y }}
      isConnectable={editable}
      isConnectableEnd={false}
      title={port.condition ? `${hint}. Condition: ${port.condition}` : hint}
      onClick={editable ? (event) => openPicker(event, box.id, port.id) : undefined}
    >
      {port.label}
    </Handle>
  );
}

function openPicker(event: MouseEvent, source: string, port: string) {
  event.stopPropagation();
  const spot = { kind: "after", start: { source, port } } as const;
  usePicker.getState().open({ kind: "add", spot, x: event.clientX + 8, y: event.clientY });
}

function openOutcomes(event: MouseEvent, source: string) {
  event.stopPropagation();
  usePicker.getState().open({ kind: "outcome", source, x: event.clientX, y: event.clientY });
}
