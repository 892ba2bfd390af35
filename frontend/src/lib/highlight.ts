// Syntax colours and the colours of terminals, in pieces of work short enough for a page that scrolls. Loaded when the
// first text is to be coloured.
import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from "@shikijs/core";
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import type { Token } from "./colours";

const LANGUAGES = {
  bash: () => import("@shikijs/langs/bash"),
  c: () => import("@shikijs/langs/c"),
  csharp: () => import("@shikijs/langs/csharp"),
  css: () => import("@shikijs/langs/css"),
  docker: () => import("@shikijs/langs/docker"),
  go: () => import("@shikijs/langs/go"),
  html: () => import("@shikijs/langs/html"),
  java: () => import("@shikijs/langs/java"),
  javascript: () => import("@shikijs/langs/javascript"),
  json: () => import("@shikijs/langs/json"),
  kotlin: () => import("@shikijs/langs/kotlin"),
  markdown: () => import("@shikijs/langs/markdown"),
  php: () => import("@shikijs/langs/php"),
  python: () => import("@shikijs/langs/python"),
  ruby: () => import("@shikijs/langs/ruby"),
  rust: () => import("@shikijs/langs/rust"),
  sql: () => import("@shikijs/langs/sql"),
  swift: () => import("@shikijs/langs/swift"),
  toml: () => import("@shikijs/langs/toml"),
  tsx: () => import("@shikijs/langs/tsx"),
  typescript: () => import("@shikijs/langs/typescript"),
  xml: () => import("@shikijs/langs/xml"),
  yaml: () => import("@shikijs/langs/yaml"),
} as const;
export type Language = keyof typeof LANGUAGES;

const EXTENSIONS: Readonly<Record<string, Language>> = {
  bash: "bash", c: "c", cc: "c", cjs: "javascript", cpp: "c", cs: "csharp", css: "css", dockerfile: "docker",
  go: "go", h: "c", hpp: "c", htm: "html", html: "html", java: "java", js: "javascript", json: "json", jsx: "tsx",
  kt: "kotlin", md: "markdown", mjs: "javascript", mts: "typescript", php: "php", py: "python", pyi: "python",
  rb: "ruby", rs: "rust", scss: "css", sh: "bash", sql: "sql", svg: "xml", swift: "swift", toml: "toml",
  ts: "typescript", tsx: "tsx", xml: "xml", yaml: "yaml", yml: "yaml", zsh: "bash",
}; // biome-ignore format: a table

/** Names of languages in Markdown that are not their extension. */
const NAMES: Readonly<Record<string, Language>> = {
  "c++": "c", console: "bash", golang: "go", python3: "python", shell: "bash", "shell-session": "bash",
  terminal: "bash", typescriptreact: "tsx",
}; // biome-ignore format: a table

const SLICE_LINES = 40;
const LONGEST_LINE = 2_000;
const THEME = createCssVariablesTheme({ name: "site", variablePrefix: "--code-" });

/** Have the colour of the text around them. */
const PLAIN: readonly string[] = ["var(--code-foreground)", "var(--code-token-parameter)"];

let loading: Promise<HighlighterCore> | null = null;
const loadHighlighter = () => {
  loading ??= createHighlighterCore({
    themes: [THEME],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return loading;
};

export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return EXTENSIONS[name.slice(name.lastIndexOf(".") + 1)] ?? null;
}

/** Returns the language behind the name in front of a code block, such as "py" or "Python title=x". */
export function languageNamed(words: string): Language | null {
  const name =
    words
      .trim()
      .split(/[\s,{:]/, 1)[0]
      ?.toLowerCase() ?? "";
  return name in LANGUAGES ? (name as Language) : (NAMES[name] ?? EXTENSIONS[name] ?? null);
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Some lines of a text with their colours; `start` is the index of the first. */
interface Slice {
  start: number;
  lines: Token[][];
}

/** Yields the colours of all lines, from the first on. Nothing more after a line that is too long. */
export async function* colourLines(lines: readonly string[], language: Language): AsyncGenerator<Slice> {
  const highlighter = await loadHighlighter();
  await highlighter.loadLanguage(LANGUAGES[language]());
  let state: ReturnType<HighlighterCore["getLastGrammarState"]> | undefined;
  for (let start = 0; start < lines.length; start += SLICE_LINES) {
    const slice = lines.slice(start, start + SLICE_LINES);
    if (slice.some((line) => line.length > LONGEST_LINE)) return;
    const options = { lang: language, theme: "site", ...(state ? { grammarState: state } : {}) };
    const { tokens, grammarState } = highlighter.codeToTokens(slice.join("\n"), options);
    state = grammarState;
    await pause();
    yield { start, lines: slice.map((_, index) => joined(tokens[index] ?? [], isCode)) };
  }
}

/**
 * Yields the lines of a terminal's output with its sixteen colours. Others, backgrounds and hidden text are left out: a
 * program must not be able to write what people cannot read.
 */
export async function* colourTerminal(lines: readonly string[]): AsyncGenerator<Slice> {
  const highlighter = await loadHighlighter();
  const { tokens } = highlighter.codeToTokens(lines.join("\n"), { lang: "ansi", theme: "site" });
  yield { start: 0, lines: tokens.map((line) => joined(line, isNamed)) };
}

const isCode = (color: string) => !PLAIN.includes(color);
const isNamed = (color: string) => /^var\(--code-ansi-[a-z-]+\)$/.test(color);

/** Joins neighbours of one colour. What has the colour of the page's text needs none. */
function joined(
  tokens: readonly { content: string; color?: string }[],
  counts: (color: string) => boolean,
): Token[] {
  const parts: Token[] = [];
  for (const token of tokens) {
    const color = token.color && counts(token.color) ? token.color : "";
    const last = parts[parts.length - 1];
    if (last && last.color === color) last.text += token.content;
    else parts.push({ text: token.content, color });
  }
  return parts;
}
