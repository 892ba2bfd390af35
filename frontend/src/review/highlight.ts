// Syntax colours, in pieces of work short enough for a page that scrolls. Loaded when the first file is shown.
import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from "@shikijs/core";
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import type { FileDiff } from "../api/types";
import { parseDiff } from "../lib/diff";
import { type Colours, keyOfLine, type Token } from "./colours";

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
type Language = keyof typeof LANGUAGES;

const EXTENSIONS: Readonly<Record<string, Language>> = {
  bash: "bash", c: "c", cc: "c", cjs: "javascript", cpp: "c", cs: "csharp", css: "css", dockerfile: "docker",
  go: "go", h: "c", hpp: "c", htm: "html", html: "html", java: "java", js: "javascript", json: "json", jsx: "tsx",
  kt: "kotlin", md: "markdown", mjs: "javascript", mts: "typescript", php: "php", py: "python", pyi: "python",
  rb: "ruby", rs: "rust", scss: "css", sh: "bash", sql: "sql", svg: "xml", swift: "swift", toml: "toml",
  ts: "typescript", tsx: "tsx", xml: "xml", yaml: "yaml", yml: "yaml", zsh: "bash",
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

const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Yields the colours of a file's lines, more of them each time. Nothing for a language that is not known. */
export async function* colour(file: FileDiff): AsyncGenerator<Colours> {
  const language = languageOf(file.path);
  if (!language || !file.patch) return;
  const highlighter = await loadHighlighter();
  await highlighter.loadLanguage(LANGUAGES[language]());
  const found = new Map<string, readonly Token[]>();
  for (const side of ["new", "old"] as const) {
    for (const lines of hunksOf(file.patch, side)) {
      let state: ReturnType<HighlighterCore["getLastGrammarState"]> | undefined;
      for (let start = 0; start < lines.length; start += SLICE_LINES) {
        const slice = lines.slice(start, start + SLICE_LINES);
        if (slice.some((line) => line.text.length > LONGEST_LINE)) return;
        const options = { lang: language, theme: "site", ...(state ? { grammarState: state } : {}) };
        const { tokens, grammarState } = highlighter.codeToTokens(
          slice.map((line) => line.text).join("\n"),
          options,
        );
        state = grammarState;
        for (const [index, line] of slice.entries()) {
          found.set(keyOfLine(side, line.number), joined(tokens[index] ?? []));
        }
        await pause();
        yield new Map(found);
      }
    }
  }
}

/** Joins neighbours of one colour. What has the colour of the page's text needs none. */
function joined(tokens: readonly { content: string; color?: string }[]): Token[] {
  const parts: Token[] = [];
  for (const token of tokens) {
    const color = PLAIN.includes(token.color ?? "") ? "" : (token.color ?? "");
    const last = parts[parts.length - 1];
    if (last && last.color === color) last.text += token.content;
    else parts.push({ text: token.content, color });
  }
  return parts;
}

function hunksOf(patch: string, side: "old" | "new"): { number: number; text: string }[][] {
  const hunks: { number: number; text: string }[][] = [[]];
  for (const row of parseDiff(patch)) {
    if (row.kind === "hunk") hunks.push([]);
    else {
      const number = side === "old" ? row.oldLine : row.newLine;
      if (number !== null) hunks[hunks.length - 1]?.push({ number, text: row.text });
    }
  }
  return hunks.filter((lines) => lines.length > 0);
}
