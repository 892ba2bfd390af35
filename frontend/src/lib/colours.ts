// Coloured text. `highlight.ts`, which finds the colours, is loaded later.

export interface Token {
  text: string;
  /** A CSS variable of the theme; empty for plain text. */
  color: string;
}
