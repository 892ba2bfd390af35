// Makes invisible and misleading characters visible in text that a person decides on.

const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]/gu;

/**
 * Replaces characters that are invisible, look like a space or change the text direction by their code point,
 * so that a command cannot look different from what it does. Keeps line breaks and tabs.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => (found === "\n" || found === "\t" ? found : codeOf(found)));
}

/** Like `visible`, for a single line: line breaks and tabs become symbols. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
