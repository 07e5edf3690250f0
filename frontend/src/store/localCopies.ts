// Copies of unsaved drafts in this browser (IndexedDB): what was typed survives a closed tab and a lost connection.
import { createStore, del, get, set } from "idb-keyval";
import type { FlowDocument } from "~/graph/document";

export interface LocalCopy {
  document: FlowDocument;
  /** The saved draft that it began from, and its revision. */
  base: FlowDocument;
  revision: number;
  /** When it was written: milliseconds since the epoch. */
  at: number;
}

const copies = typeof indexedDB === "undefined" ? null : createStore("flowsite-drafts", "copies");

const keyOf = (person: string, flow: string) => `${person}/${flow}`;

/** A browser that keeps nothing (private windows, a full disk) must not stop anybody from editing. */
async function quietly<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch {
    return undefined;
  }
}

export async function keepCopy(person: string, flow: string, copy: LocalCopy): Promise<void> {
  if (copies) await quietly(set(keyOf(person, flow), copy, copies));
}

export async function readCopy(person: string, flow: string): Promise<LocalCopy | undefined> {
  return copies ? quietly(get<LocalCopy>(keyOf(person, flow), copies)) : undefined;
}

export async function dropCopy(person: string, flow: string): Promise<void> {
  if (copies) await quietly(del(keyOf(person, flow), copies));
}
