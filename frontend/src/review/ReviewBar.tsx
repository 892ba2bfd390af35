import { useState } from "react";
import { sendReview } from "../api/review";
import { plural } from "../lib/format";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Counts } from "./Counts";
import { focusGridIfLost } from "./gridFocus";
import { refreshComments } from "./queries";
import type { ViewOptions } from "./rows";
import { CommitSelect, PatchLink } from "./Scope";
import { TurnSelect } from "./TurnSelect";
import type { Review } from "./useReview";

interface ReviewBarProps {
  review: Review;
  view: ViewOptions;
  onView: (view: ViewOptions) => void;
}

/** How much there is to review, how it is shown, and the comments that wait to be sent. */
export function ReviewBar({ review, view, onView }: ReviewBarProps) {
  const { files, mine } = review;
  const total = files.length + review.more;
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  return (
    <div className="review-bar flow gap-12 gap-y-8 no-shrink ruled">
      <span className="small muted number">
        {plural(total, "file")} <Counts additions={added} deletions={removed} /> · {mine.size} approved
      </span>
      <TurnSelect chosen={view.turn} onChoose={(turn) => onView({ ...view, turn, commit: "" })} />
      <CommitSelect
        sessionId={review.sessionId}
        chosen={view.commit}
        onChoose={(commit) => onView({ ...view, turn: "", commit })}
      />
      <PatchLink sessionId={review.sessionId} view={view} />
      <fieldset className="review-layout segments" aria-label="Layout">
        {(["unified", "split"] as const).map((layout) => (
          <label key={layout}>
            <input
              type="radio"
              name="layout"
              checked={view.layout === layout}
              onChange={() => onView({ ...view, layout })}
            />
            {layout === "split" ? "Side by side" : "Unified"}
          </label>
        ))}
      </fieldset>
      <label className="inline gap-6 small">
        <input
          type="checkbox"
          checked={view.ignoreSpace}
          onChange={() => onView({ ...view, ignoreSpace: !view.ignoreSpace })}
        />
        Ignore white space
      </label>
      <SendComments review={review} />
      {review.error !== null && <Problem error={review.error} />}
    </div>
  );
}

function SendComments({ review }: { review: Review }) {
  const { comments, me, canAct, sessionId } = review;
  const [isOpen, setOpen] = useState(false);
  const [introduction, setIntroduction] = useState("");
  const action = useAction();
  const waiting = comments.filter(
    (each) => each.state === "open" || (each.state === "draft" && each.author?.id === me),
  );
  if (!canAct || waiting.length === 0) return null;
  const send = () =>
    action.run(async () => {
      await sendReview(sessionId, introduction);
      setOpen(false);
      setIntroduction("");
      await refreshComments(sessionId);
      focusGridIfLost();
    });
  return (
    <div className="review-send push-end">
      <button
        type="button"
        className="button primary"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="send" /> Send {plural(waiting.length, "comment")}
      </button>
      {isOpen && (
        <form
          className="review-send-box boxed stack gap-8"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <label className="field">
            <span>Introduction (optional)</span>
            <textarea
              rows={3}
              // biome-ignore lint/a11y/noAutofocus: the person has just opened the form
              autoFocus
              value={introduction}
              maxLength={10_000}
              onChange={(event) => setIntroduction(event.target.value)}
            />
          </label>
          <p className="small muted">
            The agent gets all of them as one prompt, with paths, lines and the quoted code.
          </p>
          {action.error !== null && <Problem error={action.error} />}
          <div className="line gap-8">
            <button type="submit" className="button primary" disabled={action.busy}>
              Send to the agent
            </button>
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Not yet
            </button>
          </div>
        </form>
      )}
    </div>
  );
}
