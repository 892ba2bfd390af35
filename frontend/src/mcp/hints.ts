// Hints of MCP servers about their tools. They are shown to people, but never relied on.
const TEXTS: Record<string, readonly [string, string]> = {
  readOnlyHint: ["only reads", "changes something"],
  destructiveHint: ["may destroy something", "destroys nothing"],
  idempotentHint: ["may be repeated", "must not be repeated"],
  openWorldHint: ["reaches out into the world", "stays inside"],
};

export const hintTexts = (hints: Record<string, unknown>): string[] =>
  Object.entries(hints).flatMap(([name, value]) => {
    const texts = TEXTS[name];
    return texts ? [value === true ? texts[0] : texts[1]] : [];
  });
