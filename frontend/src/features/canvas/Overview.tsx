// Stands in for the cards at small scales: the whole flow drawn on one bitmap that follows the view.
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { coloursOf, paint, type Scene } from "./paint";

export default function Overview({ scene }: { scene: Scene }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = useStoreApi();
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let colours = coloursOf(element);
    let frame = 0;
    const draw = () => {
      frame = 0;
      const [x, y, zoom] = store.getState().transform;
      paint(element, scene, { x, y, zoom }, colours, true);
    };
    const later = () => {
      if (!frame) frame = requestAnimationFrame(draw);
    };
    const recolour = () => {
      colours = coloursOf(element);
      later();
    };
    draw();
    const stop = store.subscribe((now, before) => {
      if (now.transform !== before.transform || now.width !== before.width || now.height !== before.height) later();
    });
    const stopOverlay = scene.overlay?.subscribe(later);
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", recolour);
    return () => {
      stop();
      stopOverlay?.();
      scheme.removeEventListener("change", recolour);
      cancelAnimationFrame(frame);
    };
  }, [scene, store]);
  return (
    <div className="overview" aria-hidden="true">
      <canvas ref={canvas} />
    </div>
  );
}
