// Draws a diagram written in Mermaid as the text of an SVG picture. Runs in a worker, without a page.
import { renderMermaidSVG } from "beautiful-mermaid";

export interface Colours {
  text: string;
  page: string;
}

export const LONGEST = 10_000; // characters
const MOST_LINES = 300;
/** Whatever could run, load or link something. Labels are escaped, so that a tag is never part of one. */
const FORBIDDEN = /<\s*(?:script|foreignobject|image|use|iframe|a)\b|<[^>]*\s(?:on\w+|(?:xlink:)?href)\s*=/i;
/** Fonts of other places, which a picture could not load. */
const IMPORTS = /@import[^\n]*/g;
const KINDS =
  /^\s*(?:graph|flowchart|stateDiagram(?:-v2)?|sequenceDiagram|classDiagram|erDiagram|xychart(?:-beta)?)\b/i;

/** Returns the picture. Throws if the text is no diagram that can be drawn, or too large. */
export function drawDiagram(text: string, colours: Colours): string {
  if (text.length > LONGEST || text.split("\n").length > MOST_LINES)
    throw new Error("The diagram is too large.");
  if (!KINDS.test(text)) throw new Error("Diagrams of this kind are not drawn.");
  const options = { fg: colours.text, bg: colours.page, transparent: true, font: "sans-serif" };
  const picture = renderMermaidSVG(text, options).replace(IMPORTS, "");
  if (FORBIDDEN.test(picture)) throw new Error("The diagram has content that is not shown.");
  return picture;
}
