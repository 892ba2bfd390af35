import { useState } from "react";
import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Icon } from "../ui/Icon";
import type { Review } from "./useReview";

const LETTERS = { added: "A", modified: "M", deleted: "D", renamed: "R" } as const;
const WORDS = { added: "added", modified: "modified", deleted: "deleted", renamed: "renamed" } as const;

/** The changed files with what was done about them; each leads to its lines. */
export function FileList({ review }: { review: Review }) {
  const [filter, setFilter] = useState("");
  const shown = review.files.filter((file) => file.path.toLowerCase().includes(filter.trim().toLowerCase()));
  const comments = new Map<string, number>();
  for (const each of review.comments) {
    if (each.state !== "resolved") comments.set(each.path, (comments.get(each.path) ?? 0) + 1);
  }
  return (
    <nav className="review-files" aria-label="Changed files">
      <input
        type="search"
        className="review-filter full-width"
        placeholder="Filter files"
        aria-label="Filter files"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <ul>
        {shown.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              className="review-file line gap-6 full-width small"
              title={file.path}
              onClick={() => {
                review.openFile(file.path);
                review.goTo(`f:${file.path}`);
              }}
            >
              <span className={`review-status status-${file.status}`} aria-hidden="true">
                {LETTERS[file.status]}
              </span>
              <span className="sr-only">{WORDS[file.status]}</span>
              <span className="grow ellipsis mono review-file-name">{visibleLine(file.path)}</span>
              {(comments.get(file.path) ?? 0) > 0 && (
                <span className="count" title={plural(comments.get(file.path) ?? 0, "comment")}>
                  {comments.get(file.path)}
                </span>
              )}
              {review.mine.has(file.path) && <span className="sr-only">approved</span>}
              {review.mine.has(file.path) && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="empty">No changed file matches.</p>}
      {review.more > 0 && <p className="empty">{plural(review.more, "more file")} changed.</p>}
    </nav>
  );
}
