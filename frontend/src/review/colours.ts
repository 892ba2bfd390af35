// Syntax colours of lines. `highlight.ts`, which finds them, is loaded later.
import type { Token } from "../lib/colours";

/** The colours by line. */
export type Colours = ReadonlyMap<string, readonly Token[]>;
export const keyOfLine = (side: "old" | "new", number: number) => `${side}${number}`;
