// "@exp" in front of the caret: what is being named, and the text with the name in its place.

export interface Mention {
  /** Where the "@" stands. */
  start: number;
  query: string;
}

const AT_CARET = /(?:^|\s)@([\w./-]*)$/;

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

/** The name in the place of what was typed of it, and a blank behind it. */
export function putMention(text: string, { start, query }: Mention, name: string): Edited {
  const before = `${text.slice(0, start)}@${name} `;
  const after = text.slice(start + 1 + query.length).replace(/^ /, "");
  return { text: before + after, caret: before.length };
}

/** A text with the agents it calls, as `["ask ", "@explore", " to look"]`: every second piece is a call. */
export function splitMentions(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [text];
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(?<!\\w)(@(?:${escaped.join("|")}))(?![\\w/-])`));
}
