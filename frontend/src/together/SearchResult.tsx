import { Link } from "wouter";
import type { SearchHit } from "../api/together";
import { formatAgo } from "../lib/format";
import { shownName } from "../permissions/approvers";
import { SessionDot } from "../ui/StateDot";
import { PrivateMark } from "./PrivateMark";
import "./search.css";

const KIND_LABELS: Record<SearchHit["kind"], string> = {
  title: "Title",
  prompt: "Prompt",
  answer: "Answer",
  tool: "Tool call",
  comment: "Review comment",
};

/** A search result with its session. The text is never rendered as markup. */
export function SearchResult({ hit }: { hit: SearchHit }) {
  return (
    <Link href={`/sessions/${hit.session_id}`} className="hit ruled" data-testid="hit">
      <span className="hit-head cluster gap-y-4">
        <SessionDot status={hit.session_status} />
        <PrivateMark sharedWith={hit.shared_with} />
        <span className="semibold">{hit.session_title || "Untitled session"}</span>
        <span className="muted">
          {KIND_LABELS[hit.kind]} · {hit.project_name}
          {hit.person && ` · ${shownName(hit.person)}`} · {formatAgo(hit.at)}
        </span>
      </span>
      <span className="hit-text block muted break-anywhere">
        {hit.pieces.map((piece, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which does not change
          piece.hit ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
        )}
      </span>
    </Link>
  );
}
