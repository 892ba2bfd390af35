// Links to previews for other members: the session's address with the port and path in its fragment.
import { pathOf } from "./path";

const LINKED = /^#preview=([1-9]\d{0,4})(\/.*)?$/;

export interface LinkedPreview {
  port: number;
  path: string;
}

/** Returns the preview that a fragment names, such as `#preview=5173/cart`; null if it names none. */
export function linkedPreview(fragment: string): LinkedPreview | null {
  const found = LINKED.exec(fragment);
  if (!found) return null;
  return { port: Number(found[1]), path: pathOf(found[2] ?? "/") };
}

export function previewFragment({ port, path }: LinkedPreview): string {
  return `#preview=${port}${pathOf(path)}`;
}
