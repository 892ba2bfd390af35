import { useState } from "react";
import { Link } from "wouter";
import { changeReviewComment, deleteReviewComment, type ReviewComment } from "../api/review";
import { visible } from "../lib/visible";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Cell } from "./Cell";
import { EditComment } from "./CommentForms";
import { refreshComments } from "./queries";
import { placeLabel } from "./rows";
import type { Review } from "./useReview";

const STATES = {
  draft: "Draft: only you see it until you send it",
  open: "Open: sent with the next comments",
  sent: "The agent has it",
  done: "Done: the agent has answered",
  resolved: "Resolved",
  deleted: "Deleted",
} as const;

export function CommentThread({ comments, review }: { comments: readonly ReviewComment[]; review: Review }) {
  return (
    <Cell className="review-thread stack gap-8">
      {comments.map((comment) => (
        <Comment key={comment.id} comment={comment} review={review} />
      ))}
    </Cell>
  );
}

function Comment({ comment, review }: { comment: ReviewComment; review: Review }) {
  const isOutdated = review.files.some(
    (file) =>
      (file.path === comment.path || file.old_path === comment.path) && file.version !== comment.version,
  );
  const isEdited = comment.state === "draft" && review.editedId === comment.id;
  return (
    <article
      className={`review-comment boxed comment-${comment.state}`}
      aria-label="Comment"
      data-state={comment.state}
    >
      <header className="flow gap-8 gap-y-2 small">
        <span className="medium">{comment.author?.name || comment.author?.email || "A former member"}</span>
        <span className="muted">
          {placeLabel({ side: comment.side, first: comment.first_line, last: comment.last_line })}
        </span>
        {isOutdated && <span className="text-waiting">The file changed since</span>}
        <span className="muted" role="status">
          {STATES[comment.state]}
        </span>
        {comment.state === "done" && <AnswerLink comment={comment} sessionId={review.sessionId} />}
      </header>
      {isEdited ? (
        <EditComment comment={comment} review={review} />
      ) : (
        <>
          <p className="pre-wrap break-anywhere">{visible(comment.text)}</p>
          {review.canAct && <CommentActions comment={comment} review={review} />}
        </>
      )}
    </article>
  );
}

/** Leads to the agent's last message of the turn that got the comment. */
function AnswerLink({ comment, sessionId }: { comment: ReviewComment; sessionId: string }) {
  const place = comment.answer_id ? `#${comment.answer_id}` : "";
  return (
    <Link className="link" href={`/sessions/${sessionId}${place}`}>
      Read the answer
    </Link>
  );
}

function CommentActions({ comment, review }: { comment: ReviewComment; review: Review }) {
  const { state } = comment;
  const action = useAction();
  const [isAsking, setAsking] = useState(false);
  const isMine = comment.author?.id === review.me;
  const change = (next: "open" | "resolved") =>
    action.run(async () => {
      await changeReviewComment(comment.id, { state: next });
      await refreshComments(review.sessionId);
    });
  const remove = async () => {
    await deleteReviewComment(comment.id);
    await refreshComments(review.sessionId);
  };
  const button = (label: string, onClick: () => void) => (
    <button type="button" className="link" disabled={action.busy} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <>
      {action.error !== null && <Problem error={action.error} />}
      <footer className="line gap-12 small">
        {state === "draft" && isMine && button("Edit", () => review.setEditedId(comment.id))}
        {["done", "sent", "open"].includes(state) && button("Resolve", () => void change("resolved"))}
        {["done", "resolved"].includes(state) && button("Reopen", () => void change("open"))}
        {(isMine || review.managesSessions) && button("Delete", () => setAsking(true))}
      </footer>
      <ConfirmDialog
        open={isAsking}
        title="Delete this comment?"
        verb="Delete"
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        <p>
          {state === "draft"
            ? "The agent will not get it."
            : "What the agent answered stays in the conversation."}
        </p>
      </ConfirmDialog>
    </>
  );
}
