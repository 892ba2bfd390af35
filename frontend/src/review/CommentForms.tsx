import { type KeyboardEvent, type ReactNode, useState } from "react";
import { changeReviewComment, type ReviewComment } from "../api/review";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Cell } from "./Cell";
import { focusGrid, useGridAfterwards } from "./gridFocus";
import { refreshComments } from "./queries";
import { type Place, placeLabel } from "./rows";
import type { Review } from "./useReview";
import { keyOfEdit, keyOfPlace } from "./written";

/** Changes the text of a draft. */
export function EditComment({ comment, review }: { comment: ReviewComment; review: Review }) {
  const [text, write] = useWritten(review, keyOfEdit(comment.id), comment.text);
  const action = useAction();
  const close = () => {
    write("");
    review.setEditedId("");
    focusGrid();
  };
  const save = () =>
    action.run(async () => {
      await changeReviewComment(comment.id, { text });
      await refreshComments(review.sessionId);
      close();
    });
  return (
    <>
      <TextForm
        label="Text of the comment"
        text={text}
        verb="Save"
        busy={action.busy}
        onWrite={write}
        onSave={() => void save()}
        onLeave={close}
        onCancel={close}
      />
      {action.error !== null && <Problem error={action.error} />}
    </>
  );
}

/** The text of a comment that is being written, and how to change it. Without one that was kept it is `first`. */
function useWritten({ written }: Review, key: string, first: string): [string, (text: string) => void] {
  const [text, setText] = useState(written.get(key) || first);
  const write = (next: string) => {
    setText(next);
    written.set(key, next);
  };
  return [text, write];
}

/** Writes a draft. Its text is still there if it is closed and opened again, or the page is loaded again. */
export function CommentEditor({ place, review }: { place: Place; review: Review }) {
  const [text, write] = useWritten(review, keyOfPlace(place), "");
  useGridAfterwards();
  return (
    <Cell className="review-thread">
      <div className="review-comment boxed">
        <TextForm
          label={`Comment: ${placeLabel(place)}`}
          text={text}
          verb="Add draft"
          busy={review.busy}
          onWrite={write}
          onSave={() => void review.saveComment(place, text)}
          onLeave={() => {
            review.edit(null);
            focusGrid();
          }}
          onCancel={() => review.edit(null)}
        >
          <span className="small muted">Only you see it until you send it.</span>
        </TextForm>
      </div>
    </Cell>
  );
}

interface TextFormProps {
  label: string;
  text: string;
  /** Label of the button that saves. */
  verb: string;
  busy: boolean;
  onWrite: (text: string) => void;
  onSave: () => void;
  /** Escape was pressed. */
  onLeave: () => void;
  onCancel: () => void;
  children?: ReactNode;
}

/** A field for the text of a comment. Ctrl Enter saves, Escape leaves. */
function TextForm({ label, text, verb, busy, onWrite, onSave, onLeave, onCancel, children }: TextFormProps) {
  const save = () => {
    if (text.trim() && !busy) onSave();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
    if (event.key === "Escape") onLeave();
  };
  return (
    <form
      className="stack gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label className="field">
        <span>{label}</span>
        <textarea
          rows={4}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to write
          autoFocus
          value={text}
          maxLength={10_000}
          onChange={(event) => onWrite(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <div className="flow gap-8">
        <button type="submit" className="button primary" disabled={busy || !text.trim()}>
          {verb} <kbd>Ctrl Enter</kbd>
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        {children}
      </div>
    </form>
  );
}
