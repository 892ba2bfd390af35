// Asks a worker for the picture of a diagram.
import type { Colours } from "./draw";

const PATIENCE_MS = 10_000;

/** Returns the address of the picture; "" if the text cannot be drawn, or not soon. */
export function drawn(text: string, colours: Colours): Promise<string> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  return new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve(""), PATIENCE_MS);
    worker.onerror = () => resolve("");
    worker.onmessage = ({ data }: MessageEvent<{ picture: string }>) => {
      clearTimeout(timer);
      resolve(data.picture && `data:image/svg+xml;charset=utf-8,${encodeURIComponent(data.picture)}`);
    };
    worker.postMessage({ text, colours });
  }).finally(() => worker.terminate());
}
