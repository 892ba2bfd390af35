import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { hasCode } from "../api/http";
import { commitChanges, type GitState, pushBranch, readGitState } from "../api/workingCopy";
import { queryClient } from "../app/queries";
import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { useLive } from "../store/SessionContext";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useFocusBack } from "../ui/useFocusBack";
import { isFocusLost } from "../ui/useFocusIfLost";
import { BaseBranch, BranchSession } from "./BaseBranch";
import { useDraft } from "./useDraft";

const SHOWN = 20;

/** What is not committed and not pushed in the session's workspace, with buttons for both. Empty without a repository. */
export function WorkingCopy({ sessionId }: { sessionId: string }) {
  const version = useLive((state) => state.filesVersion);
  const key = ["git-state", sessionId];
  const found = useQuery({
    queryKey: [...key, version],
    queryFn: () => readGitState(sessionId),
    enabled: version > 0,
    placeholderData: (old) => old,
  });
  const [isCommitting, setCommitting] = useState(false);
  const section = useFocusBack(isCommitting);
  if (found.error && !found.data) return <Problem error={found.error} />;
  if (!found.data?.repository) return null;
  const { uncommitted, unpushed, problem, can_change: canChange, current_branch, branch } = found.data;
  if (isCommitting && uncommitted.length === 0) setCommitting(false);
  // before the first message, and without a repository in the workspace, there is nothing to say
  const isKnown = found.data.head !== "" || uncommitted.length > 0;
  if (!isKnown && !problem) return null;
  const inConflict = uncommitted.some(({ status }) => status === "conflict");
  const show = (state: GitState) => {
    queryClient.setQueryData([...key, version], state);
    // the button that was pressed may have gone with what it did
    requestAnimationFrame(() => isFocusLost() && section.current?.focus());
  };
  // somebody else, or the person in another tab, may have done it meanwhile
  const store = (work: Promise<GitState>) =>
    work.then(show, (error: unknown) => {
      void found.refetch();
      throw error;
    });
  return (
    <section ref={section} tabIndex={-1} className="panel-summary stack gap-8 ruled-top" aria-label="Commits">
      {isKnown && (
        <p className="small muted break-anywhere" role="status">
          {uncommitted.length > 0
            ? `${plural(uncommitted.length, "file")} not committed`
            : "Everything is committed"}
          {unpushed.length > 0 && `, ${plural(unpushed.length, "commit")} not pushed`}
          {current_branch && ` on ${visibleLine(current_branch)}`}
          {current_branch && current_branch !== branch && `, pushed to ${visibleLine(branch)}`}
        </p>
      )}
      <PathList paths={uncommitted.map(({ path, status }) => `${path} (${status})`)} label="Not committed" />
      <PathList
        paths={unpushed.map(({ commit, subject }) => `${commit.slice(0, 8)} ${subject}`)}
        label="Not pushed"
      />
      {problem && <p className="small muted">{problem}</p>}
      {isKnown && <BaseBranch sessionId={sessionId} state={found.data} onState={show} />}
      {canChange && isCommitting && (
        <CommitForm
          sessionId={sessionId}
          onCommit={(message) => store(commitChanges(sessionId, message)).then(() => setCommitting(false))}
          onCancel={() => setCommitting(false)}
        />
      )}
      {canChange && !isCommitting && (
        <div className="flow gap-8">
          {uncommitted.length > 0 && !inConflict && (
            <button type="button" className="button" onClick={() => setCommitting(true)}>
              Commit…
            </button>
          )}
          {unpushed.length > 0 && !problem && !inConflict && (
            <PushButton sessionId={sessionId} state={found.data} onPush={store} />
          )}
          {found.data.pushed && !problem && <BranchSession sessionId={sessionId} />}
        </div>
      )}
    </section>
  );
}

function PathList({ paths, label }: { paths: string[]; label: string }) {
  if (paths.length === 0) return null;
  return (
    <ul className="small mono break-anywhere" aria-label={label}>
      {paths.slice(0, SHOWN).map((path) => (
        <li key={path}>{visibleLine(path)}</li>
      ))}
      {paths.length > SHOWN && <li className="muted">and {paths.length - SHOWN} more</li>}
    </ul>
  );
}

interface CommitFormProps {
  sessionId: string;
  onCommit: (message: string) => Promise<void>;
  onCancel: () => void;
}

function CommitForm({ sessionId, onCommit, onCancel }: CommitFormProps) {
  const id = useId();
  const [message, setMessage] = useState("");
  const drafting = useDraft(sessionId, "commit", ({ title, body }) =>
    setMessage([title, body].filter(Boolean).join("\n\n")),
  );
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => onCommit(message));
  };
  return (
    <form className="stack gap-8" onSubmit={submit} aria-label="Commit">
      <div className="field">
        <label htmlFor={id}>Message</label>
        <textarea
          id={id}
          rows={4}
          required
          aria-describedby={`${id}-note`}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
          autoFocus
          value={message}
          onChange={(event) => {
            drafting.leave();
            setMessage(event.target.value);
          }}
        />
        <small id={`${id}-note`} className="muted break-anywhere" role="status">
          {drafting.note}
        </small>
      </div>
      {error !== null && <FieldsProblem error={error} />}
      <div className="line gap-8">
        <button type="submit" className="button primary" disabled={busy || !message.trim()}>
          {busy ? "Committing…" : "Commit"}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface PushButtonProps {
  sessionId: string;
  state: GitState;
  onPush: (pushing: Promise<GitState>) => Promise<void>;
}

/** Pushes the commit that is shown. If that changes files for a CI service, a person who may decide is asked once more. */
function PushButton({ sessionId, state, onPush }: PushButtonProps) {
  const { run, busy, error } = useAction();
  const [isSecond, setSecond] = useState(false);
  const asks = hasCode(error, "push_asks") && state.decides && !isSecond;
  const push = () => {
    setSecond(asks);
    void run(() => onPush(pushBranch(sessionId, state.head, asks)));
  };
  return (
    <>
      <button type="button" className="button" disabled={busy} onClick={push}>
        {busy ? "Pushing…" : asks ? "Push anyway" : "Push"}
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}
