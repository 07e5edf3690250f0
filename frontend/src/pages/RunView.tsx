// A run on the canvas of the version that ran, over time, and at any event of it; live while it goes on.
import { useEffect, useMemo, useState } from "react";
import { readRunDocument } from "~/api/runs";
import FlowView from "~/features/canvas/FlowView";
import type { FullView } from "~/features/canvas/useView";
import { existing, type Place, readPlace, withPlace } from "~/features/runview/place";
import Scrubber from "~/features/runview/Scrubber";
import StepPanel from "~/features/runview/StepPanel";
import Timeline from "~/features/runview/Timeline";
import { useRunEvents } from "~/features/runview/useRunEvents";
import { useRunValues } from "~/features/runview/useRunValues";
import { type FlowDocument, findNode, opened } from "~/graph/document";
import type { Document } from "~/graph/document.gen";
import { createOverlay } from "~/nodes/overlay";
import { RunProjection } from "~/nodes/runProjection";
import { useCatalog } from "~/store/catalog";

export interface RunBoot {
  run: string;
  /** Flow whose draft may take over outputs as pinned data; null: that is not this person's to do. */
  pins_to: string | null;
}

export default function RunView({ boot }: { boot: RunBoot }) {
  const [document, setDocument] = useState<FlowDocument | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    Promise.all([readRunDocument(boot.run), useCatalog.getState().load()])
      .then(([found]) => setDocument(opened(found as Document)))
      .catch((error: Error) => setFailure(error.message));
  }, [boot.run]);
  if (failure) return <p className="empty">The flow of this run cannot be drawn: {failure}</p>;
  if (!document) return <p className="empty quiet">Drawing the run…</p>;
  return <Drawn run={boot.run} pinsTo={boot.pins_to} document={document} />;
}

/** The place that is looked at, kept in the address. */
function usePlace(): [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState<Place>(() => readPlace(window.location.search));
  const change = (part: Partial<Place>) => {
    const next = { ...place, ...part };
    setPlace(next);
    const { pathname, search, hash } = window.location;
    window.history.replaceState(null, "", `${pathname}${withPlace(search, next)}${hash}`);
  };
  return [place, change];
}

interface DrawnProps {
  run: string;
  pinsTo: string | null;
  document: FlowDocument;
}

function Drawn({ run, pinsTo, document }: DrawnProps) {
  const { events, count, stream } = useRunEvents(run);
  const [wanted, change] = usePlace();
  const place = existing(wanted, (id) => findNode(document, id) !== undefined, count);
  const shown = place.seq ?? count;
  const overlay = useMemo(() => createOverlay(), []);
  const follower = useMemo(() => ({ projection: new RunProjection() }), []);

  useEffect(() => {
    // Going on takes in what is new; going back means beginning anew.
    if (shown < follower.projection.seq) {
      follower.projection = new RunProjection();
      overlay.reset(follower.projection.take(events.slice(0, shown)));
    } else overlay.change(follower.projection.take(events.slice(follower.projection.seq, shown)));
  }, [events, shown, overlay, follower]);
  useRunValues({ run, document, overlay, wanted: count > 0 && stream === "over" && place.seq === null });

  // The first picture: what is looked at, else where the run stands. Afterwards the view is the reader's own.
  const [view, setView] = useState<FullView | null>(null);
  const isRead = count > 0 && stream !== "catching";
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for a canvas, when all events of so far are there
  useEffect(() => {
    const step = place.node ?? follower.projection.lookedFor();
    if (isRead && view && step) view.reveal([step]);
  }, [isRead, view]);

  return (
    <div className="run-view card flush">
      <div className="run-view-head">
        <ViewButton name="Graph" pressed={place.view === "graph"} onPress={() => change({ view: "graph" })} />
        <ViewButton name="Timeline" pressed={place.view === "timeline"} onPress={() => change({ view: "timeline" })} />
        {place.seq !== null && <span className="mark mark-paused">As it was at event {shown}</span>}
      </div>
      <div className="run-view-main">
        {place.view === "graph" ? (
          <FlowView
            label="Run"
            document={document}
            overlay={overlay}
            selectedNode={place.node}
            onSelectNode={(node) => change({ node })}
            onView={setView}
          />
        ) : (
          <Timeline
            document={document}
            events={events}
            count={shown}
            node={place.node}
            onNode={(node) => change({ node })}
          />
        )}
      </div>
      {place.node && (
        <StepPanel
          run={run}
          pinsTo={pinsTo}
          node={place.node}
          document={document}
          events={events}
          count={shown}
          onClose={() => change({ node: null })}
        />
      )}
      <Scrubber run={run} events={events} seq={place.seq} onSeq={(seq) => change({ seq })} />
    </div>
  );
}

function ViewButton({ name, pressed, onPress }: { name: string; pressed: boolean; onPress: () => void }) {
  return (
    <button type="button" aria-pressed={pressed} onClick={onPress}>
      {name}
    </button>
  );
}
