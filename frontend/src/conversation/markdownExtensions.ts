// Formulas and footnotes, which Markdown itself does not have.
import type { MarkedExtension, Token, Tokens } from "marked";

export interface FormulaToken extends Tokens.Generic {
  type: "formula" | "inlineFormula";
  text: string;
}

export interface NoteToken extends Tokens.Generic {
  type: "note" | "noteRef";
  /** What the text calls it. */
  label: string;
  /** Its number in the text, from 1. */
  number: number;
}

const BLOCK_FORMULA = /^(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;
/** Not "$5 and $10", "$HOME and $PATH" or "$a$b": no space inside the signs, and no letter or digit after them. */
const INLINE_FORMULA =
  /^(?:\$\$([^$\n]+)\$\$|\$(?!\s)((?:\\.|[^$\\\n])*[^$\\\s])\$(?![\w$])|\\\(([^\n]+?)\\\))/;
const NOTE = /^\[\^([^\]\s]+)\]:[ \t]*([^\n]*(?:\n(?:[ \t]+[^\n]+|[ \t]*(?=\n[ \t]+\S)))*)(?:\n|$)/;
const NOTE_REF = /^\[\^([^\]\s]+)\](?!:)/;

const firstOf = (found: RegExpExecArray): string =>
  (found.slice(1).find((part) => part !== undefined) ?? "").trim();

/** Where one of the signs stands in the text; undefined if nowhere. */
const startAt = (sign: RegExp) => (source: string) => {
  const at = source.search(sign);
  return at < 0 ? undefined : at;
};

export const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Shown as code until the formula is drawn, and if it never is. */
const formulaHtml = (token: Tokens.Generic): string =>
  `<code data-formula="${token.type === "formula" ? "block" : "inline"}">${escapeText(token.text)}</code>`;

export const EXTENSIONS: MarkedExtension = {
  extensions: [
    {
      name: "formula",
      level: "block",
      start: startAt(/\$\$|\\\[/),
      tokenizer(source) {
        const found = BLOCK_FORMULA.exec(source);
        return found ? { type: "formula", raw: found[0], text: firstOf(found) } : undefined;
      },
      renderer: formulaHtml,
    },
    {
      name: "inlineFormula",
      level: "inline",
      start: startAt(/(?<![\w$])\$|\\\(/),
      tokenizer(source) {
        const found = INLINE_FORMULA.exec(source);
        return found ? { type: "inlineFormula", raw: found[0], text: firstOf(found) } : undefined;
      },
      renderer: formulaHtml,
    },
    {
      name: "note",
      level: "block",
      start: startAt(/^\[\^/m),
      tokenizer(source) {
        const [raw, label = "", text = ""] = NOTE.exec(source) ?? [];
        if (raw === undefined) return undefined;
        return { type: "note", raw, label, number: 0, tokens: this.lexer.inlineTokens(text.trim()) };
      },
      renderer(token) {
        return `<p>${token.number}. ${this.parser.parseInline(token.tokens ?? [])} <a href="#note-ref=${token.number}" aria-label="Back to the text">↩</a></p>`;
      },
    },
    {
      name: "noteRef",
      level: "inline",
      start: startAt(/\[\^/),
      tokenizer(source) {
        const [raw, label = ""] = NOTE_REF.exec(source) ?? [];
        return raw === undefined ? undefined : { type: "noteRef", raw, label, number: 0 };
      },
      renderer: ({ number, raw }) =>
        number === 0
          ? escapeText(raw)
          : `<sup><a href="#note=${number}" aria-label="Footnote ${number}">${number}</a></sup>`,
    },
  ],
};

/** Numbers the footnotes of a text in the order of their definitions. What refers to no footnote keeps the number 0. */
export function numberNotes(tokens: readonly Token[], walk: (visit: (token: Token) => void) => void): void {
  const numbers = new Map<string, number>();
  for (const token of tokens)
    if (token.type === "note" && !numbers.has(token.label)) numbers.set(token.label, numbers.size + 1);
  walk((token) => {
    if (token.type === "note" || token.type === "noteRef")
      (token as NoteToken).number = numbers.get((token as NoteToken).label) ?? 0;
  });
}
