// The events of one run: all there are, then each that comes; counted, so that a view can wait for a frame.
import { useEffect, useRef, useState } from "react";
import { followRun, type StreamState } from "~/api/eventStream";
import type { RunEvent } from "~/api/runs";

export interface RunEvents {
  /** In order, from the first. The same array grows; `count` tells that it did. */
  events: readonly RunEvent[];
  count: number;
  stream: StreamState;
}

export function useRunEvents(run: string): RunEvents {
  const events = useRef<RunEvent[]>([]);
  const [count, setCount] = useState(0);
  const [stream, setStream] = useState<StreamState>("catching");
  useEffect(() => {
    let stop = () => {};
    let ended = false;
    let frame = 0;
    events.current = [];
    const told = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setCount(events.current.length);
      });
    };
    void followRun({
      run,
      after: 0,
      onEvents(fresh) {
        events.current.push(...fresh);
        told();
      },
      onState: setStream,
      onRestart() {
        events.current = [];
        told();
      },
    }).then((end) => {
      if (ended) end();
      else stop = end;
    });
    return () => {
      ended = true;
      stop();
      cancelAnimationFrame(frame);
    };
  }, [run]);
  return { events: events.current, count, stream };
}
