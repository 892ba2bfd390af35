import { useState } from "react";
import { visible } from "../lib/visible";
import { markHits, type NumberedLine } from "./output";
import "./views.css";

const FIRST_LINES = 400;

interface LinesProps {
  lines: readonly NumberedLine[];
  /** Text to highlight in the lines. */
  mark?: string;
}

/** Numbered lines of a file; very long ones are shown in steps. */
export function NumberedLines({ lines, mark = "" }: LinesProps) {
  const [limit, setLimit] = useState(FIRST_LINES);
  return (
    <>
      <table className="lines mono small">
        <tbody>
          {lines.slice(0, limit).map((line) => (
            <tr key={line.number}>
              <td className="line-number number">{line.number}</td>
              <td className="line-text">
                {markHits(line.text, mark).map((piece, index) =>
                  piece.hit ? (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one line never move
                    <mark key={index}>{visible(piece.text)}</mark>
                  ) : (
                    visible(piece.text)
                  ),
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > limit && (
        <button type="button" className="diff-more full-width" onClick={() => setLimit(limit + 2000)}>
          Show {Math.min(2000, lines.length - limit)} more of {lines.length} lines
        </button>
      )}
    </>
  );
}
