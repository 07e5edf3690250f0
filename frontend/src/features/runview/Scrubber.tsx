// Which moment of the run is shown: any event, or the run as it is now.
import type { RunEvent } from "~/api/runs";
import { timeOfDay } from "~/ui/times";

interface Props {
  run: string;
  events: readonly RunEvent[];
  seq: number | null;
  onSeq: (seq: number | null) => void;
}

export default function Scrubber({ run, events, seq, onSeq }: Props) {
  const newest = events.at(-1)?.seq ?? 0;
  const at = seq ?? newest;
  const event = events[at - 1];
  const go = (to: number) => onSeq(to >= newest ? null : Math.max(1, to));
  return (
    <div className="scrubber">
      <button type="button" aria-label="First event" disabled={at <= 1} onClick={() => go(1)}>
        |◀
      </button>
      <button type="button" aria-label="Event before" disabled={at <= 1} onClick={() => go(at - 1)}>
        ◀
      </button>
      <input
        type="range"
        aria-label="Event"
        aria-valuetext={event ? `Event ${at} of ${newest}: ${event.type} ${event.path ?? ""}` : "No event yet"}
        min={1}
        max={Math.max(1, newest)}
        value={Math.max(1, at)}
        onChange={(change) => go(Number(change.target.value))}
      />
      <button type="button" aria-label="Next event" disabled={seq === null} onClick={() => go(at + 1)}>
        ▶
      </button>
      <button type="button" disabled={seq === null} onClick={() => onSeq(null)}>
        Now
      </button>
      <span className="scrubber-event">
        {event && (
          <>
            <span className="number">
              {at} of {newest}
            </span>{" "}
            <time dateTime={new Date(event.ts).toISOString()}>{timeOfDay(event.ts)}</time> {event.type}{" "}
            {event.path ?? ""}
          </>
        )}
      </span>
      {at > 0 && <a href={`/runs/${run}/at/${at}/`}>State here</a>}
    </div>
  );
}
