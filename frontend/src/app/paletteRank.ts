export interface Match<Item> {
  item: Item;
  score: number;
}

const MAX_MATCHES = 50;

/**
 * Returns items that contain every word of the query. Matches near the beginning and at the start of a word
 * come first.
 */
export function rank<Item>(
  items: readonly Item[],
  query: string,
  text: (item: Item) => string,
): Match<Item>[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches: Match<Item>[] = [];
  for (const item of items) {
    const score = scoreOf(text(item).toLowerCase(), words);
    if (score !== null) matches.push({ item, score });
  }
  return matches.sort((a, b) => a.score - b.score).slice(0, MAX_MATCHES);
}

function scoreOf(text: string, words: readonly string[]): number | null {
  let score = 0;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) return null;
    const atWordStart = at === 0 || /\W/.test(text[at - 1] as string);
    score += at + (atWordStart ? 0 : 100);
  }
  return score;
}
