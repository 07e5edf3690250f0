// The marks that a difference of two documents lays over the picture of both.
import type { PartChanges, VersionDifference } from "~/api/versions";
import type { DiffMark, DiffMarks } from "./overlay";

export function marksOf(difference: Pick<VersionDifference, "nodes" | "edges">): DiffMarks {
  return { nodes: marks(difference.nodes), edges: marks(difference.edges) };
}

function marks({ added, removed, changed }: PartChanges): Map<string, DiffMark> {
  return new Map([...added, ...changed, ...removed].map((part) => [part.id, part.kind]));
}
