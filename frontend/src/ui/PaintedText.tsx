import { Fragment, memo, useEffect, useRef, useState } from "react";
import type { Token } from "../lib/colours";

const LONGEST = 200_000;
const WAIT_MS = 120; // a text that is still streamed is not painted for each of its words

interface PaintedTextProps {
  /** What is shown. */
  text: string;
  /** What the colours are found in: the text, or with its escape sequences the output of a terminal. */
  source: string;
  /** "terminal", or the words in front of a block of code. */
  kind: string;
}

/** The beginning of a text, with its colours. The rest is shown plainly until it has some, too. */
interface Painted {
  text: string;
  lines: readonly (readonly Token[])[];
}

/** A text that gets its colours after it is shown. */
export function PaintedText({ text, source, kind }: PaintedTextProps) {
  const painted = usePainted(text, source, kind);
  if (!painted || !text.startsWith(painted.text)) return text;
  return (
    <>
      <Lines of={painted} />
      {text.slice(painted.text.length)}
    </>
  );
}

function usePainted(text: string, source: string, kind: string): Painted | null {
  const [painted, setPainted] = useState<Painted | null>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (text === "" || text.length > LONGEST) return;
    let isGone = false;
    const follow = async () => {
      const lines: (readonly Token[])[] = [];
      for await (const slice of await slicesOf(source, kind)) {
        if (isGone) return;
        lines.push(...slice.lines);
        setPainted({
          text: lines.map((line) => line.map((token) => token.text).join("")).join("\n"),
          lines: [...lines],
        });
      }
    };
    const timer = setTimeout(() => void follow().catch(() => undefined), isFirst.current ? 0 : WAIT_MS);
    isFirst.current = false;
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [text, source, kind]);
  return painted;
}

async function slicesOf(source: string, kind: string) {
  const { colourLines, colourTerminal, languageNamed } = await import("../lib/highlight");
  const lines = source.split("\n");
  if (kind === "terminal") return colourTerminal(lines);
  const language = languageNamed(kind);
  return language ? colourLines(lines, language) : [];
}

const Lines = memo(function Lines({ of }: { of: Painted }) {
  return of.lines.map((line, number) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines only ever grow at the end
    <Fragment key={number}>
      {number > 0 && "\n"}
      {line.map((token, index) =>
        token.color ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one line never move
          <span key={index} style={{ color: token.color }}>
            {token.text}
          </span>
        ) : (
          token.text
        ),
      )}
    </Fragment>
  ));
});
