// The path of a page as people type it.

/** Returns what was typed as a path with its query: with one slash at its begin, escaped, without a host or fragment. */
export function pathOf(typed: string): string {
  const trimmed = typed.trim().replace(/^https?:\/\/[^/]*/i, "");
  const { pathname, search } = new URL(`/${trimmed.replace(/^[/\\]+/, "")}`, "http://localhost");
  return pathname.replace(/^\/+/, "/") + search;
}
