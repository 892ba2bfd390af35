import { useId, useRef, useState } from "react";
import { replyPermission } from "../api/endpoints";
import { ApiError } from "../api/http";
import type { PermissionNeed, PermissionReply, PermissionRequest, Scope } from "../api/types";
import { refreshWaiting } from "../app/queries";
import { visible, visibleLine } from "../lib/visible";
import { DiffView } from "../ui/DiffView";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { answered } from "./answered";
import { type Grant, grantsOf, questionFor, reasonWords, SCOPE_WORDS, subjectOf, textOf } from "./words";

interface CardProps {
  request: PermissionRequest;
  canAct: boolean;
  /** The card stands outside of its session (in the tray): its single keys are off. */
  quiet?: boolean;
}

export function PermissionCard({ request, canAct, quiet = false }: CardProps) {
  const titleId = useId();
  const grants = grantsOf(request);
  const [scope, setScope] = useState<Scope>(request.scopes[0] ?? "session");
  const { reply, busy, error } = useReply(request);
  const reasons = request.reasons.filter((reason) => reason.action !== "allow");
  return (
    <section
      className="card permission-card"
      data-testid="permission-card"
      data-state={request.state}
      data-request={request.id}
      aria-labelledby={titleId}
    >
      <h2 id={titleId}>
        <Icon name="shield" />
        {questionFor(request)}
      </h2>
      {request.needs.map((need, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the needs of one request never change
        <Need key={index} need={need} />
      ))}
      <ul className="why">
        {reasons.map((reason) => (
          <li key={`${reason.permission} ${reason.pattern}`}>{visibleLine(reasonWords(reason))}.</li>
        ))}
      </ul>
      {canAct ? (
        <Answers
          grants={grants}
          scopes={request.scopes}
          scope={scope}
          onScope={setScope}
          busy={busy}
          quiet={quiet}
          reply={reply}
        />
      ) : (
        <p className="muted">Somebody with the right to act in this session has to answer.</p>
      )}
      {error !== null && <Problem error={error} />}
    </section>
  );
}

/** An answer counts once; when somebody else was faster the card just shows the outcome. */
function useReply(request: PermissionRequest) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const sent = useRef(false);
  const reply = async (answer: PermissionReply) => {
    if (sent.current) return;
    sent.current = true;
    setBusy(true);
    setError(null);
    try {
      answered.getState().publish(await replyPermission(request.id, answer));
    } catch (problem) {
      setError(problem);
      sent.current = problem instanceof ApiError && problem.status === 409;
    } finally {
      setBusy(false);
      refreshWaiting();
    }
  };
  return { reply, busy, error };
}

function Need({ need }: { need: PermissionNeed }) {
  const command = textOf(need, "command");
  const diff = textOf(need, "diff");
  const description = textOf(need, "description");
  return (
    <div className="need">
      {description && <p className="need-description">{visibleLine(description)}</p>}
      {command ? (
        <div className="command">
          <span aria-hidden="true">$</span>
          <code>{visible(command)}</code>
        </div>
      ) : (
        <p className="need-subject">
          <code>{visibleLine(subjectOf(need))}</code>
        </p>
      )}
      {diff && <DiffView patch={diff} path={`that is asked for: ${subjectOf(need)}`} />}
    </div>
  );
}

interface AnswersProps {
  grants: Grant[];
  scopes: Scope[];
  scope: Scope;
  onScope: (scope: Scope) => void;
  busy: boolean;
  quiet: boolean;
  reply: (answer: PermissionReply) => void;
}

function Answers({ grants, scopes, scope, onScope, busy, quiet, reply }: AnswersProps) {
  const [words, setWords] = useState<string | null>(null);
  const key = (name: string) => (quiet ? null : <Key name={name} />);
  return (
    <>
      <div className="answers">
        <button
          type="button"
          className="button primary"
          data-key="a"
          disabled={busy}
          onClick={() => reply({ reply: "once" })}
        >
          Allow once {key("a")}
        </button>
        {grants.length > 0 && (
          <button
            type="button"
            className="button"
            data-key="A"
            disabled={busy}
            onClick={() => reply({ reply: "always", scope })}
          >
            Always allow {key("⇧ a")}
          </button>
        )}
        <button
          type="button"
          className="button"
          data-key="r"
          disabled={busy}
          onClick={() => reply({ reply: "reject" })}
        >
          Reject {key("r")}
        </button>
        {words === null && (
          <button type="button" className="link" onClick={() => setWords("")}>
            Reject with words
          </button>
        )}
      </div>
      {words !== null && <Words words={words} onWords={setWords} busy={busy} reply={reply} />}
      {grants.length > 0 && <AlwaysTerms grants={grants} scopes={scopes} scope={scope} onScope={onScope} />}
    </>
  );
}

interface WordsProps {
  words: string;
  onWords: (words: string | null) => void;
  busy: boolean;
  reply: (answer: PermissionReply) => void;
}

function Words({ words, onWords, busy, reply }: WordsProps) {
  return (
    <form
      className="reject-words"
      onSubmit={(event) => {
        event.preventDefault();
        reply({ reply: "reject", message: words.trim() });
      }}
    >
      <input
        aria-label="What the agent should do instead"
        placeholder="What the agent should do instead; it goes on with that"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to write it
        autoFocus
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onWords(null)}
      />
      <button type="submit" className="button" disabled={busy || !words.trim()}>
        Send
      </button>
    </form>
  );
}

function AlwaysTerms({
  grants,
  scopes,
  scope,
  onScope,
}: Pick<AnswersProps, "grants" | "scopes" | "scope" | "onScope">) {
  return (
    <div className="terms">
      <span>Always would allow</span>
      {grants.map((grant) => (
        <code key={`${grant.permission} ${grant.pattern}`}>
          {grant.permission} {visibleLine(grant.pattern)}
        </code>
      ))}
      {scopes.length > 1 ? (
        <select
          className="inline-select"
          aria-label="Where always counts"
          value={scope}
          onChange={(event) => onScope(event.target.value as Scope)}
        >
          {scopes.map((item) => (
            <option key={item} value={item}>
              {SCOPE_WORDS[item] ?? item}
            </option>
          ))}
        </select>
      ) : (
        <span>{SCOPE_WORDS[scope] ?? scope}</span>
      )}
    </div>
  );
}

function Key({ name }: { name: string }) {
  return (
    <span aria-hidden="true">
      <kbd>{name}</kbd>
    </span>
  );
}
