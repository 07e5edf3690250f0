// What the server's page says to the scripts: read once from its JSON block.
export interface Boot {
  flow: { id: string; name: string };
  me: string;
  may: { edit: boolean; run: boolean; publish: boolean };
}

/** The page's own facts; each page knows which they are. */
export function readBoot<Facts = Boot>(): Facts {
  const block = document.getElementById("boot");
  if (!block?.textContent) throw new Error("The page has no block `boot`.");
  return JSON.parse(block.textContent) as Facts;
}
