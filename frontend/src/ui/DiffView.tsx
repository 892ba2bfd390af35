import { memo, useMemo, useState } from "react";
import { type DiffRow, parseDiff } from "../lib/diff";
import { visible } from "../lib/visible";
import { Scroller } from "./Scroller";

const FIRST_ROWS = 400;
const SIGNS = { add: "+", remove: "−", context: "", hunk: "" } as const;

/** A unified diff as a table of lines; a very long one is shown in steps. */
export const DiffView = memo(function DiffView({ patch, path = "" }: { patch: string; path?: string }) {
  const rows = useMemo(() => parseDiff(patch), [patch]);
  const [limit, setLimit] = useState(FIRST_ROWS);
  if (rows.length === 0) return <p className="empty">No differences.</p>;
  return (
    <Scroller className="diff mono small" label={`Diff ${path}`.trim()}>
      <table>
        <tbody>
          {rows.slice(0, limit).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one patch never move
            <Row key={index} row={row} first={index === 0} />
          ))}
        </tbody>
      </table>
      {rows.length > limit && (
        <button type="button" className="diff-more full-width" onClick={() => setLimit(limit + 2000)}>
          Show {Math.min(2000, rows.length - limit)} more of {rows.length} lines
        </button>
      )}
    </Scroller>
  );
});

function Row({ row, first }: { row: DiffRow; first: boolean }) {
  if (row.kind === "hunk") {
    if (first && !row.text) return null;
    return (
      <tr className="diff-hunk">
        <td colSpan={3}>{row.text || "···"}</td>
      </tr>
    );
  }
  return (
    <tr className={`diff-${row.kind}`}>
      <td className="diff-number">{row.newLine ?? row.oldLine}</td>
      <td className="diff-sign">{SIGNS[row.kind]}</td>
      <td className="diff-text">{visible(row.text)}</td>
    </tr>
  );
}
