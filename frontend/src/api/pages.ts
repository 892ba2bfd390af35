// Reads all pages of a list, one after the other.

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

export async function readAllPages<Item>(
  load: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<{ items: Item[] }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { items };
}
