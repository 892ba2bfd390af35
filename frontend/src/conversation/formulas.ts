// Draws formulas. Loaded when the first one is to be shown.
import katex from "katex";
import "katex/dist/katex.min.css";

const LONGEST = 10_000; // characters

/**
 * Draws a formula into an element, as nodes whose styles are set as properties: the policy of the page refuses styles in
 * HTML. Nothing in a formula can load or link anything, and macros are bounded. A formula with a mistake stays as it was.
 */
export function drawFormula(element: HTMLElement, isBlock: boolean): void {
  const tex = element.textContent ?? "";
  if (tex === "" || tex.length > LONGEST) return;
  const drawn = document.createElement("span");
  try {
    katex.render(tex, drawn, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxSize: 20,
      maxExpand: 300,
    });
  } catch {
    return;
  }
  element.replaceWith(drawn);
}
