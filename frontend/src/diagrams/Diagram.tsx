import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { CodeBlock } from "../conversation/CodeBlock";
import { themeStore } from "../lib/theme";
import { drawn } from "./drawn";
import "./diagrams.css";

/**
 * A diagram of an answer, as a picture: nothing in it can run or load anything. Its text is a press away, and is shown if
 * it cannot be drawn.
 */
export default function Diagram({ code }: { code: string }) {
  const theme = useStore(themeStore, (state) => state.theme);
  const [address, setAddress] = useState("");
  const [isText, setText] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours follow the theme
  useEffect(() => {
    let isGone = false;
    void drawn(code, coloursOfPage()).then((found) => {
      if (!isGone) setAddress(found);
    });
    return () => {
      isGone = true;
    };
  }, [code, theme]);
  if (!address) return <CodeBlock code={code} language="mermaid" />;
  return (
    <div className="diagram stack gap-6 items-start">
      {isText ? (
        <CodeBlock code={code} language="mermaid" />
      ) : (
        <img src={address} alt={`Diagram: ${code.trim().split("\n", 1)[0]}`} data-testid="diagram" />
      )}
      <button type="button" className="link small" onClick={() => setText(!isText)}>
        {isText ? "Show the diagram" : "Show the text of the diagram"}
      </button>
    </div>
  );
}

function coloursOfPage() {
  const { color, backgroundColor } = getComputedStyle(document.body);
  return { text: hexOf(color, "#27272a"), page: hexOf(backgroundColor, "#ffffff") };
}

/** The colour as #rrggbb, which every part of a picture understands. */
function hexOf(colour: string, otherwise: string): string {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(colour)?.slice(1);
  return parts ? `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}` : otherwise;
}
