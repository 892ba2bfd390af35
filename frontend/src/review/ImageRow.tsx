import { useState } from "react";
import { atPrefix } from "../lib/prefix";
import { Cell } from "./Cell";
import type { Row } from "./rows";
import type { Review } from "./useReview";

/** A changed picture before and after. */
export function ImageRow({ row, review }: { row: Extract<Row, { kind: "image" }>; review: Review }) {
  const { file } = row;
  return (
    <Cell className="review-note flow gap-16">
      {file.old_mode && <Picture label="Before" review={review} path={file.old_path} side="old" />}
      {file.new_mode && <Picture label="After" review={review} path={file.path} side="new" />}
    </Cell>
  );
}

interface PictureProps {
  label: string;
  review: Review;
  path: string;
  side: "old" | "new";
}

function Picture({ label, review, path, side }: PictureProps) {
  const [failed, setFailed] = useState(false);
  const query = new URLSearchParams({
    path,
    side,
    ...(review.options.turn ? { turn: review.options.turn } : {}),
    ...(review.options.commit ? { commit: review.options.commit } : {}),
  });
  const address = atPrefix(`/api/v1/sessions/${encodeURIComponent(review.sessionId)}/diff/image?${query}`);
  return (
    <figure className="review-picture stack gap-4">
      <figcaption className="small muted">{label}</figcaption>
      {failed ? (
        <span className="muted">This picture cannot be shown.</span>
      ) : (
        <img src={address} alt={`${path}, ${label.toLowerCase()}`} onError={() => setFailed(true)} />
      )}
    </figure>
  );
}
