// Mentions of agents in a prompt: finding "@exp" in front of the caret, and completing it.

export interface Mention {
  /** Index of the "@". */
  start: number;
  query: string;
}

const AT_CARET = /(?:^|\s)@([\p{L}\p{M}\p{N}_./:{}+-]*)$/u;

export function findMention(text: string, caret: number): Mention | null {
  const found = AT_CARET.exec(text.slice(0, caret));
  if (!found) return null;
  const query = found[1] ?? "";
  return { start: caret - query.length - 1, query };
}

export interface Edited {
  text: string;
  caret: number;
}

/** Replaces the typed part of the mention with the name, behind its sign, and a space. */
export function putMention(text: string, { start, query }: Mention, name: string, sign = "@"): Edited {
  const before = `${text.slice(0, start)}${sign}${name} `;
  const after = text.slice(start + 1 + query.length).replace(/^ /, "");
  return { text: before + after, caret: before.length };
}

/** Splits a text at mentions, as `["ask ", "@explore", " to look"]`: every second piece is a mention. */
export function splitMentions(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [text];
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(?<!\\w)(@(?:${escaped.join("|")}))(?![\\w/-])`));
}
