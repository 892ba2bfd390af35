// Syntax colours of lines. `highlight.ts`, which finds them, is loaded later.

export interface Token {
  text: string;
  /** A CSS variable of the theme; empty for plain text. */
  color: string;
}

/** The colours by line. */
export type Colours = ReadonlyMap<string, readonly Token[]>;
export const keyOfLine = (side: "old" | "new", number: number) => `${side}${number}`;
