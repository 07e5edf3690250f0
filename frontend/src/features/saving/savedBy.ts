// Who saved the draft that this one is in conflict with, in words.

/** `updatedBy` and `person` are user names; null: it is not known who. */
export function savedBy(updatedBy: string | null, person: string): { who: string; told: string } {
  // The same person in two tabs, or on two machines, is not somebody else.
  if (updatedBy === person) return { who: "your other tab", told: "you have saved this draft in another tab" };
  const who = updatedBy ?? "somebody";
  return { who, told: `this draft was saved in another tab or by ${who}` };
}
