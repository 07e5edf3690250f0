// The layout, off the page's own thread. One answer for each question, in their order.
import type { FlowDocument, Position } from "./document";
import { tidied } from "./tidy";

export interface TidyQuestion {
  number: number;
  document: FlowDocument;
  containers: readonly string[];
  only: readonly string[] | null;
}

export interface TidyAnswer {
  number: number;
  places: [string, Position][] | null;
  error?: string;
}

self.onmessage = ({ data }: MessageEvent<TidyQuestion>) => {
  const containers = new Set(data.containers);
  try {
    const places = tidied(data.document, (type) => containers.has(type), data.only ? new Set(data.only) : undefined);
    self.postMessage({ number: data.number, places: [...places] } satisfies TidyAnswer);
  } catch (error) {
    self.postMessage({ number: data.number, places: null, error: String(error) } satisfies TidyAnswer);
  }
};
