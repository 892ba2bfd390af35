import { fixPullRequest, type PullRequest } from "../api/pullRequests";
import { visible, visibleLine } from "../lib/visible";
import { OutLink } from "../tools/WebViews";
import { FieldsProblem } from "../ui/FieldsProblem";
import { useAction } from "../ui/useAction";

const SHOWN_LINES = 8;

interface FeedbackProps {
  pull: PullRequest;
  sessionId: string;
  canFix: boolean;
}

/** Failed checks and review comments, each with a button that has the agent deal with it. */
export function Feedback({ pull, sessionId, canFix }: FeedbackProps) {
  const failed = pull.checks.filter(({ state }) => state === "failure");
  if (failed.length + pull.comments.length === 0) return null;
  return (
    <ul className="stack gap-8" aria-label="Failed checks and comments">
      {failed.map((check) => (
        <Item
          key={`check ${check.id}`}
          name={check.name}
          url={check.url}
          text={lastLines(check.text)}
          fix={canFix ? () => fixPullRequest(sessionId, { check: check.id }) : undefined}
        />
      ))}
      {pull.comments.map((comment) => {
        const place = comment.path ? `${comment.path}:${comment.line}` : "";
        return (
          <Item
            key={`comment ${comment.id}`}
            name={place || comment.author}
            by={place ? comment.author : ""}
            url={comment.url}
            text={comment.body}
            fix={canFix ? () => fixPullRequest(sessionId, { comment: comment.id }) : undefined}
          />
        );
      })}
    </ul>
  );
}

const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");

interface ItemProps {
  name: string;
  by?: string;
  url: string;
  text: string;
  fix?: (() => Promise<unknown>) | undefined;
}

function Item({ name, by = "", url, text, fix }: ItemProps) {
  const { run, busy, error } = useAction();
  return (
    <li className="boxed stack gap-4 need-subject">
      <p className="flow gap-8 gap-y-4 small">
        <span className="mono medium break-anywhere">
          {url ? <OutLink url={url}>{name}</OutLink> : visibleLine(name)}
        </span>
        {by && <span className="muted break-anywhere">{visibleLine(by)}</span>}
        {fix && (
          <button
            type="button"
            className="button push-end"
            aria-label={`Fix it: ${name}`}
            disabled={busy}
            onClick={() => void run(async () => void (await fix()))}
          >
            {busy ? "Sending…" : "Fix it"}
          </button>
        )}
      </p>
      {text && <p className="small pre-wrap break-anywhere">{visible(text)}</p>}
      {error !== null && <FieldsProblem error={error} />}
    </li>
  );
}
