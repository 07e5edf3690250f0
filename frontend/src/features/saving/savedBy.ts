// Who saved the draft that this one is in conflict with, in words.

/** `updatedBy` and `person` are user names; null: it is not known who. */
export function savedBy(updatedBy: string | null, person: string): { who: string; told: string } {
  // The same person in two tabs is not somebody else.
  if (updatedBy === person)
    return { who: "the other tab", told: `this draft was saved in another tab or by ${person}` };
  const who = updatedBy ?? "somebody";
  return { who, told: `${who} has saved this draft in the meantime` };
}
