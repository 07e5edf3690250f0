// Documents in and out: foreign forms are turned into ours by the server.
import type { Document } from "~/graph/document.gen";
import { request } from "./client";

/** What a foreign document says and ours does not say in the same way. `place` points into the foreign document. */
export interface Loss {
  place: string;
  what: string;
  instead: string;
}

export interface Conversion {
  document: Document;
  /** Name of the form that was recognised; `flowsite` is our own. */
  format: string;
  title: string;
  losses: Loss[];
}

/** Read a document in any form that the server knows. Nothing is saved. */
export function convertDocument(document: unknown, id: string): Promise<Conversion> {
  return request<Conversion>("conversions/", { method: "POST", body: { document, id } });
}
