import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";
import { lazy, type MouseEvent, memo, Suspense, useContext, useEffect, useMemo, useRef } from "react";
import remend from "remend";
import { FilesAtHand } from "../files/FileLink";
import { mentionedFile } from "../files/mentioned";
import { openFile } from "../workbench/sideStore";
import { AnswerPicture } from "./AnswerPicture";
import { CodeBlock } from "./CodeBlock";
import { EXTENSIONS, escapeText, numberNotes } from "./markdownExtensions";

const Diagram = lazy(() => import("../diagrams/Diagram"));

interface MarkdownProps {
  text: string;
  /** The text is still streamed: unfinished Markdown is closed for display. */
  streaming: boolean;
}

/** Tags that Markdown has no sign for. They count only without attributes. */
const BARE_TAGS = "b|br|code|dd|del|details|dl|dt|em|hr|i|ins|kbd|li|mark|ol|p|s|strong|sub|summary|sup|u|ul";
const ESCAPED_BARE_TAG = new RegExp(`&#60;(/?(?:${BARE_TAGS})\\s*/?)&#62;`, "gi");
/**
 * Shows HTML in a model's text as text, except tags without attributes. A parser of the browser must not see event
 * handlers and styles, not even to remove them: the policy of the page would report each as an error.
 */
const escapeHtml = (html: string): string => escapeText(html).replace(ESCAPED_BARE_TAG, "<$1>");

/** A picture among words is a link; one that stands alone is an `AnswerPicture`. */
const image = ({ href, text }: Tokens.Image): string =>
  `<a href="${escapeText(href)}">Picture: ${escapeText(text || href)}</a>`;

const marked = new Marked({ renderer: { html: ({ text }) => escapeHtml(text), image } }, EXTENSIONS);

/** The beginning of an address that opens a file of the workspace. */
const FILE_ADDRESS = "#file=";

/** Also makes links of the paths of files that stand as code in a text. */
const markedWithFiles = new Marked(
  {
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image,
      codespan({ text }) {
        const code = `<code>${escapeText(text)}</code>`;
        return mentionedFile(text)
          ? `<a href="${FILE_ADDRESS}${encodeURIComponent(text)}">${code}</a>`
          : code;
      },
    },
  },
  EXTENSIONS,
);

const NOTE_ADDRESS = /^#note(-ref)?=(\d+)$/;

/** Opens the file that was pressed, or moves between a footnote and where it is referred to. */
function follow(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const address = link?.getAttribute("href") ?? "";
  const [isNote, back, number] = NOTE_ADDRESS.exec(address) ?? [];
  if (isNote) {
    event.preventDefault();
    const other = link
      ?.closest(".prose")
      ?.querySelector<HTMLElement>(`a[href="#note${back ? "" : "-ref"}=${number}"]`);
    other?.focus();
    other?.scrollIntoView?.({ block: "nearest" });
  }
  if (!address.startsWith(FILE_ADDRESS)) return;
  event.preventDefault();
  const file = mentionedFile(decodeURIComponent(address.slice(FILE_ADDRESS.length)));
  if (file) openFile(file.path, file.line);
}

/**
 * Renders Markdown of a model. Each top-level block is memoised, so that a streamed answer parses only its
 * last block. The text is untrusted: inline styles, forms and external images are removed.
 */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const atHand = useContext(FilesAtHand);
  const tokens = useMemo(() => {
    const found = marked.lexer(streaming ? remend(text) : text);
    numberNotes(found, (visit) => marked.walkTokens(found, visit));
    return found;
  }, [text, streaming]);
  return (
    <div className="prose break-anywhere">
      {tokens.map((token, index) =>
        token.type === "code" && token.lang === "mermaid" && !streaming ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
          <Suspense key={index} fallback={<CodeBlock code={token.text} language="mermaid" />}>
            <Diagram code={token.text} />
          </Suspense>
        ) : token.type === "code" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
          <CodeBlock key={index} code={token.text} language={token.lang ?? ""} />
        ) : token.type === "space" ? null : pictureAlone(token) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
          <AnswerPicture key={index} picture={pictureAlone(token)} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
          <Block key={index} token={token} raw={token.raw} withFiles={atHand} />
        ),
      )}
    </div>
  );
});

/** The picture that a paragraph consists of. */
function pictureAlone(token: Token): Tokens.Image | null {
  const [first, ...others] = token.type === "paragraph" ? (token.tokens ?? []) : [];
  return first?.type === "image" && others.length === 0 ? (first as Tokens.Image) : null;
}

async function drawFormulas(block: HTMLElement): Promise<void> {
  const formulas = block.querySelectorAll<HTMLElement>("[data-formula]");
  if (formulas.length === 0) return;
  const { drawFormula } = await import("./formulas");
  for (const formula of formulas) drawFormula(formula, formula.dataset.formula === "block");
}

const Block = memo(
  function Block({ token, withFiles }: { token: Token; raw: string; withFiles: boolean }) {
    const box = useRef<HTMLDivElement>(null);
    // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another block of HTML
    useEffect(() => {
      if (box.current) void drawFormulas(box.current).catch(() => undefined);
    }, [token.raw]);
    const html = clean((withFiles ? markedWithFiles : marked).parser([token]));
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: links in it are reached and pressed as everywhere
      // biome-ignore lint/a11y/useKeyWithClickEvents: the same
      // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned by DOMPurify just above
      <div ref={box} className="prose-block" onClick={follow} dangerouslySetInnerHTML={{ __html: html }} />
    );
  },
  (before, after) => before.raw === after.raw,
);

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "INPUT") {
    node.setAttribute("aria-label", node.hasAttribute("checked") ? "done" : "not done");
  }
  if (node.tagName === "TABLE") node.setAttribute("tabindex", "0"); // it scrolls
  if (node.tagName !== "A" || node.getAttribute("href")?.startsWith("#")) return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

export function clean(html: string): string {
  return purify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_ATTR: ["style", "class", "id", "name"],
    FORBID_TAGS: [
      "style",
      "form",
      "button",
      "textarea",
      "select",
      "option",
      "img",
      "picture",
      "video",
      "audio",
      "svg",
      "dialog",
    ],
  });
}
