import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useCallback, useEffect, useId, useState } from "react";
import {
  openPullRequest,
  type PullRequest,
  type PullRequestState,
  readPullRequest,
  refreshPullRequest,
} from "../api/pullRequests";
import { queryClient, useSession } from "../app/queries";
import { visibleLine } from "../lib/visible";
import { useLive } from "../store/SessionContext";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { useFocusBack } from "../ui/useFocusBack";
import { Feedback } from "./PullRequestFeedback";
import { checksSummary } from "./pullRequests";
import { useDraft } from "./useDraft";

/** The pull request of a session, and a form that opens or updates it. Empty if the project has no repository. */
export function PullRequestPanel({ sessionId }: { sessionId: string }) {
  const key = ["pull-request", sessionId];
  const found = useQuery({ queryKey: key, queryFn: () => readPullRequest(sessionId) });
  const stored = useLive((state) => state.pullRequest);
  const [first] = useState(stored);
  useEffect(() => {
    if (stored !== first) void queryClient.invalidateQueries({ queryKey: ["pull-request", sessionId] });
  }, [stored, first, sessionId]);
  const [editing, setEditing] = useState(false);
  const section = useFocusBack(editing);
  const title = useSession(sessionId).data?.title ?? "";
  const store = useCallback(
    (state: PullRequestState) => void queryClient.setQueryData(["pull-request", sessionId], state),
    [sessionId],
  );
  if (!found.data?.repository) return null;
  const { pull_request: existing, problem, can_open: canOpen } = found.data;
  const isOpen = existing?.state === "open";
  return (
    <section
      ref={section}
      tabIndex={-1}
      className="panel-summary stack gap-8 ruled-top"
      aria-label="Pull request"
    >
      {existing && <Summary pull={existing} sessionId={sessionId} onRead={store} />}
      {existing && canOpen && !problem && <Refreshing pull={existing} sessionId={sessionId} onRead={store} />}
      {existing && <Feedback pull={existing} sessionId={sessionId} canFix={canOpen && isOpen} />}
      {problem && !isOpen && <p className="small muted">{problem}</p>}
      {canOpen && !problem && !editing && (
        <div>
          <button type="button" className="button" onClick={() => setEditing(true)}>
            {isOpen ? "Change title and text" : "Open a pull request"}
          </button>
        </div>
      )}
      {editing && (
        <PullRequestForm
          sessionId={sessionId}
          before={isOpen ? existing : { title, body: "", draft: false }}
          isNew={!isOpen}
          onDone={(state) => {
            if (state) store(state);
            setEditing(false);
          }}
        />
      )}
    </section>
  );
}

interface SummaryProps {
  pull: PullRequest;
  sessionId: string;
  onRead: (state: PullRequestState) => void;
}

function Summary({ pull, sessionId, onRead }: SummaryProps) {
  const { run, busy, error } = useAction();
  return (
    <>
      <p className="break-anywhere">
        <a className="link" href={pull.url} target="_blank" rel="noreferrer">
          {`${visibleLine(pull.repository)} #${pull.number}`}
        </a>{" "}
        {visibleLine(pull.title)}
      </p>
      <p className="small muted flow gap-12 gap-y-4" role="status">
        <span>{pull.draft && pull.state === "open" ? "draft" : pull.state}</span>
        <span className="break-anywhere">
          {visibleLine(pull.branch)} into {visibleLine(pull.base)}
        </span>
        <span>{checksSummary(pull.checks)}</span>
        <button
          type="button"
          className="link"
          disabled={busy}
          onClick={() => void run(async () => onRead(await refreshPullRequest(sessionId)))}
        >
          {busy ? "Asking…" : "Refresh"}
        </button>
      </p>
      {error !== null && <FieldsProblem error={error} />}
    </>
  );
}

/** Asks the forge again while the page is watched: every minute while checks run, else every five. */
function Refreshing({ pull, sessionId, onRead }: SummaryProps) {
  const runs = pull.checks.some(({ state }) => state === "pending");
  useEffect(() => {
    if (pull.state !== "open") return undefined;
    const ask = () => {
      if (document.visibilityState === "visible") refreshPullRequest(sessionId).then(onRead, () => undefined);
    };
    const timer = setInterval(ask, runs ? 60_000 : 300_000);
    return () => clearInterval(timer);
  }, [pull.state, runs, sessionId, onRead]);
  return null;
}

interface PullRequestFormProps {
  sessionId: string;
  before: Pick<PullRequest, "title" | "body" | "draft">;
  isNew: boolean;
  /** Called with the new state, or without one after Cancel. */
  onDone: (state?: PullRequestState) => void;
}

function PullRequestForm({ sessionId, before, isNew, onDone }: PullRequestFormProps) {
  const id = useId();
  const [title, setTitle] = useState(before.title);
  const [text, setText] = useState(before.body);
  const [draft, setDraft] = useState(before.draft);
  const drafting = useDraft(sessionId, isNew ? "pull_request" : null, (found) => {
    setTitle(found.title);
    setText(found.body);
  });
  const { run, busy, error } = useAction();
  const typed = (set: (value: string) => void) => (value: string) => {
    drafting.leave();
    set(value);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () =>
      onDone(await openPullRequest(sessionId, { title: title.trim(), body: text, draft })),
    );
  };
  return (
    <form className="stack gap-8" onSubmit={submit} aria-label="Pull request">
      <TextField label="Title" required maxLength={250} autoFocus value={title} onText={typed(setTitle)} />
      <div className="field">
        <label htmlFor={`${id}-text`}>Text</label>
        <textarea
          id={`${id}-text`}
          rows={6}
          aria-describedby={isNew ? `${id}-note` : undefined}
          placeholder={isNew ? "Leave empty for the repository's template" : undefined}
          value={text}
          onChange={(event) => typed(setText)(event.target.value)}
        />
        {isNew && (
          <small id={`${id}-note`} className="muted break-anywhere" role="status">
            {drafting.note}
          </small>
        )}
      </div>
      {isNew && (
        <label className="line gap-6">
          <input type="checkbox" checked={draft} onChange={(event) => setDraft(event.target.checked)} />
          Draft
        </label>
      )}
      {error !== null && <FieldsProblem error={error} />}
      <div className="line gap-8">
        <button type="submit" className="button primary" disabled={busy || !title.trim()}>
          <Icon name="check" size={14} /> {isNew ? "Open" : "Save"}
        </button>
        <button type="button" className="button" onClick={() => onDone()}>
          Cancel
        </button>
      </div>
    </form>
  );
}
