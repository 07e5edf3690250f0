// The whole flow, small, and what of it is seen. A press or a drag brings that place into view.
import { useReactFlow, useStore, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useMemo, useRef } from "react";
import { around } from "~/graph/geometry";
import { coloursOf, paint, type Scene } from "./paint";

const SIZE = { width: 180, height: 112 };

export default function Minimap({ scene }: { scene: Scene }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const flow = useReactFlow();
  const store = useStoreApi();
  const fitted = useMemo(() => {
    const all = around([...scene.geometry.boxes.values()].filter((box) => !box.hidden));
    const bounds = all ?? { x: 0, y: 0, width: 1, height: 1 };
    const zoom = Math.min((SIZE.width - 16) / bounds.width, (SIZE.height - 16) / bounds.height, 0.2);
    const x = (SIZE.width - bounds.width * zoom) / 2 - bounds.x * zoom;
    return { x, y: (SIZE.height - bounds.height * zoom) / 2 - bounds.y * zoom, zoom };
  }, [scene.geometry]);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const draw = () => paint(element, scene, fitted, coloursOf(element), false);
    const timer = setTimeout(draw, 0);
    const stop = scene.overlay?.subscribe(draw);
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => {
      clearTimeout(timer);
      stop?.();
      scheme.removeEventListener("change", draw);
    };
  }, [scene, fitted]);

  function go(event: PointerEvent<HTMLDivElement>) {
    const at = event.currentTarget.getBoundingClientRect();
    const { transform, width, height } = store.getState();
    const x = (event.clientX - at.left - fitted.x) / fitted.zoom;
    const y = (event.clientY - at.top - fitted.y) / fitted.zoom;
    flow.setViewport({ x: width / 2 - x * transform[2], y: height / 2 - y * transform[2], zoom: transform[2] });
  }

  return (
    <div
      className="minimap nopan nowheel"
      aria-hidden="true"
      style={SIZE}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons) go(event);
      }}
    >
      <canvas ref={canvas} style={SIZE} />
      <SeenPart fitted={fitted} />
    </div>
  );
}

/** By itself, because it moves with every frame of a pan. */
function SeenPart({ fitted }: { fitted: { x: number; y: number; zoom: number } }) {
  const [x, y, zoom] = useStore((state) => state.transform);
  const [width, height] = [useStore((state) => state.width), useStore((state) => state.height)];
  const scale = fitted.zoom / zoom;
  const style = {
    transform: `translate(${fitted.x - x * scale}px, ${fitted.y - y * scale}px)`,
    width: width * scale,
    height: height * scale,
  };
  return <div className="minimap-seen" style={style} />;
}
