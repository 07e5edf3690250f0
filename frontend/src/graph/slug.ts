// Ids of flows, made of what people call them.

const LONGEST = 63;

/** An id for a flow of this name; the empty text where the name holds no letter that an id may begin with. */
export function slugOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, LONGEST)
    .replace(/_+$/, "");
}
