// Text that somebody decides on must look like what it is.

const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]/gu;

/**
 * Characters that show nothing, pass for a plain space or turn the order of others around become their code, so that
 * no command and no change reads differently from what it does. Line breaks and tabs stay as they are.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => (found === "\n" || found === "\t" ? found : codeOf(found)));
}

/** The same for a place that shows one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
