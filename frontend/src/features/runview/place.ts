// What is looked at on a run's page, kept in its address: a reload or a shared link shows the same.

export interface Place {
  view: "graph" | "timeline";
  node: string | null;
  /** The event at which the run is shown; null: as it is now. */
  seq: number | null;
}

export function readPlace(search: string): Place {
  const given = new URLSearchParams(search);
  const seq = Number(given.get("seq"));
  return {
    view: given.get("view") === "timeline" ? "timeline" : "graph",
    node: given.get("node"),
    seq: Number.isInteger(seq) && seq > 0 ? seq : null,
  };
}

/** The place, without what the run does not have: a node of another flow, an event that has not come. */
export function existing(place: Place, hasNode: (id: string) => boolean, newest: number): Place {
  return {
    ...place,
    node: place.node !== null && hasNode(place.node) ? place.node : null,
    seq: place.seq !== null && place.seq < newest ? place.seq : null,
  };
}

/** The query of an address with this place, keeping what else stands in it. */
export function withPlace(search: string, { view, node, seq }: Place): string {
  const next = new URLSearchParams(search);
  const put = (name: string, value: string | null) => (value === null ? next.delete(name) : next.set(name, value));
  put("view", view === "graph" ? null : view);
  put("node", node);
  put("seq", seq === null ? null : String(seq));
  const text = next.toString();
  return text ? `?${text}` : "";
}
