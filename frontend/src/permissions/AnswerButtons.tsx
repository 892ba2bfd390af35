import { type ReactNode, useEffect, useRef, useState } from "react";
import type { PermissionReply, Scope } from "../api/types";
import { visibleLine } from "../lib/visible";
import { OptionList } from "../ui/OptionList";
import type { AnswerRights } from "./approvers";
import { type AlwaysGrant, SCOPE_LABELS } from "./requestLabels";
import { useSettledCard } from "./useSettledCard";
import "./cards.css";

interface AnswerButtonsProps {
  grants: AlwaysGrant[];
  scopes: Scope[];
  scope: Scope;
  onScope: (scope: Scope) => void;
  busy: boolean;
  withoutKeys: boolean;
  reply: (answer: PermissionReply) => void;
  /** The id of the sentence that explains why the buttons are disabled. */
  reasonId?: string;
  rights: AnswerRights;
}

/**
 * The buttons allow once, always allow and reject. "Always allow" asks once more, and shows what it grants.
 */
export function AnswerButtons({
  grants,
  scopes,
  scope,
  onScope,
  busy,
  withoutKeys,
  reply,
  reasonId,
  rights,
}: AnswerButtonsProps) {
  const [message, setMessage] = useState<string | null>(null);
  const [always, setAlways] = useState(false);
  const ready = useSettledCard() && !busy;
  const button = (key: "A" | "R", label: string, answer: PermissionReply) => (
    <button
      type="button"
      className={`button ${key === "A" ? "primary" : ""}`}
      data-key={key}
      disabled={!ready || !(answer.reply === "reject" ? rights.mayReject : rights.may)}
      aria-describedby={reasonId}
      onClick={() => reply(answer)}
    >
      {label} {!withoutKeys && <ShortcutKey name={key} />}
    </button>
  );
  if (always && rights.may) {
    return (
      <AlwaysForm
        grants={grants}
        scopes={scopes}
        scope={scope}
        onScope={onScope}
        onCancel={() => setAlways(false)}
      >
        <button
          type="button"
          className="button primary"
          disabled={busy}
          onClick={() => reply({ reply: "always", scope })}
        >
          Yes, always allow
        </button>
      </AlwaysForm>
    );
  }
  return (
    <>
      <div className="answers cluster">
        {button("A", "Allow once", { reply: "once" })}
        {grants.length > 0 && (
          <button
            type="button"
            className="button"
            disabled={!ready || !rights.may}
            aria-describedby={reasonId}
            onClick={() => setAlways(true)}
          >
            Always allow…
          </button>
        )}
        {button("R", "Reject", { reply: "reject" })}
        {message === null && rights.mayReject && (
          <button type="button" className="link" onClick={() => setMessage("")}>
            {" "}
            Reject with a message{" "}
          </button>
        )}
      </div>
      {message !== null && rights.mayReject && (
        <RejectionForm message={message} onMessage={setMessage} busy={busy} reply={reply} />
      )}
    </>
  );
}

interface RejectionFormProps {
  message: string;
  onMessage: (message: string | null) => void;
  busy: boolean;
  reply: (answer: PermissionReply) => void;
}

function RejectionForm({ message, onMessage, busy, reply }: RejectionFormProps) {
  return (
    <form
      className="reject-form flex"
      onSubmit={(event) => {
        event.preventDefault();
        reply({ reply: "reject", message: message.trim() });
      }}
    >
      <input
        className="grow"
        aria-label="What the agent should do instead"
        placeholder="What the agent should do instead"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to write it
        autoFocus
        value={message}
        onChange={(event) => onMessage(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onMessage(null)}
      />
      <button type="submit" className="button" disabled={busy || !message.trim()}>
        Send
      </button>
    </form>
  );
}

interface AlwaysFormProps extends Pick<AnswerButtonsProps, "grants" | "scopes" | "scope" | "onScope"> {
  onCancel: () => void;
  /** The button that grants. */
  children: ReactNode;
}

/** The second step of "Always allow": what is granted, where, and the button that grants it. */
function AlwaysForm({ grants, scopes, scope, onScope, onCancel, children }: AlwaysFormProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => cancel.current?.focus(), []);
  return (
    <>
      <div className="terms cluster gap-6 gap-y-4">
        <span>Always allow without asking:</span>
        {grants.map((grant) => (
          <code className="chip" key={`${grant.permission} ${grant.pattern}`}>
            {grant.permission} {visibleLine(grant.pattern)}
          </code>
        ))}
        {scopes.length > 1 ? (
          <select
            className="inline-select"
            aria-label="Scope of “always”"
            value={scope}
            onChange={(event) => onScope(event.target.value as Scope)}
          >
            <OptionList of={scopes.map((item) => [item, SCOPE_LABELS[item] ?? item])} />
          </select>
        ) : (
          <span>{SCOPE_LABELS[scope] ?? scope}</span>
        )}
      </div>
      <div className="answers cluster">
        {children}
        <button ref={cancel} type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </>
  );
}

function ShortcutKey({ name }: { name: string }) {
  return (
    <span className="shortcut inline gap-4" aria-hidden="true">
      <kbd>Alt</kbd>
      <kbd>{name}</kbd>
    </span>
  );
}
