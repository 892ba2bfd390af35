// The worker that draws diagrams: it has no page, and is ended if it takes too long.
import type { Colours } from "./draw";

// The library for layouts takes a worker without a document for its own worker, and sets `self` for a moment.
Object.assign(self, { document: {} });
Object.defineProperty(globalThis, "self", { value: globalThis, writable: true, configurable: true });

self.onmessage = async ({ data }: MessageEvent<{ text: string; colours: Colours }>) => {
  try {
    const { drawDiagram } = await import("./draw");
    self.postMessage({ picture: drawDiagram(data.text, data.colours) });
  } catch {
    self.postMessage({ picture: "" });
  }
};
