import DOMPurify from "dompurify";
import { Marked, type Token } from "marked";
import { memo, useMemo } from "react";
import remend from "remend";
import { CodeBlock } from "./CodeBlock";

interface MarkdownProps {
  text: string;
  /** The text is still streamed: unfinished Markdown is closed for display. */
  streaming: boolean;
}

/** Tags that Markdown has no sign for. They count only without attributes. */
const BARE_TAGS = "b|br|code|dd|del|details|dl|dt|em|hr|i|ins|kbd|li|mark|ol|p|s|strong|sub|summary|sup|u|ul";
const ESCAPED_BARE_TAG = new RegExp(`&lt;(/?(?:${BARE_TAGS})\\s*/?)&gt;`, "gi");
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Shows HTML in a model's text as text, except tags without attributes. A parser of the browser must not see event
 * handlers and styles, not even to remove them: the policy of the page would report each as an error.
 */
const escapeHtml = (html: string): string =>
  html.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "").replace(ESCAPED_BARE_TAG, "<$1>");

const marked = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } });

/**
 * Renders Markdown of a model. Each top-level block is memoised, so that a streamed answer parses only its
 * last block. The text is untrusted: inline styles, forms and external images are removed.
 */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const tokens = useMemo(() => marked.lexer(streaming ? remend(text) : text), [text, streaming]);
  return (
    <div className="prose break-anywhere">
      {tokens.map((token, index) =>
        token.type === "code" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
          <CodeBlock key={index} code={token.text} language={token.lang ?? ""} />
        ) : token.type === "space" ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
          <Block key={index} token={token} raw={token.raw} />
        ),
      )}
    </div>
  );
});

const Block = memo(
  function Block({ token }: { token: Token; raw: string }) {
    const html = clean(marked.parser([token]));
    // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned by DOMPurify just above
    return <div className="prose-block" dangerouslySetInnerHTML={{ __html: html }} />;
  },
  (before, after) => before.raw === after.raw,
);

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
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
