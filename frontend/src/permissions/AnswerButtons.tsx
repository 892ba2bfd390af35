import { useState } from "react";
import type { PermissionReply, Scope } from "../api/types";
import { visibleLine } from "../lib/visible";
import { OptionList } from "../ui/OptionList";
import type { AnswerRights } from "./approvers";
import { type AlwaysGrant, SCOPE_LABELS } from "./requestLabels";
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

/** The buttons allow once, always allow and reject, with their keys. */
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
  const button = (key: string, shown: string, label: string, answer: PermissionReply) => (
    <button
      type="button"
      className={`button ${key === "a" ? "primary" : ""}`}
      data-key={key}
      disabled={busy || !(answer.reply === "reject" ? rights.mayReject : rights.may)}
      aria-describedby={reasonId}
      onClick={() => reply(answer)}
    >
      {label} {!withoutKeys && <ShortcutKey name={shown} />}
    </button>
  );
  return (
    <>
      <div className="answers cluster">
        {button("a", "a", "Allow once", { reply: "once" })}
        {grants.length > 0 && button("A", "⇧ a", "Always allow", { reply: "always", scope })}
        {button("r", "r", "Reject", { reply: "reject" })}
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
      {grants.length > 0 && rights.may && (
        <AlwaysGrants grants={grants} scopes={scopes} scope={scope} onScope={onScope} />
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

function AlwaysGrants({
  grants,
  scopes,
  scope,
  onScope,
}: Pick<AnswerButtonsProps, "grants" | "scopes" | "scope" | "onScope">) {
  return (
    <div className="terms cluster gap-6 gap-y-4 small muted ruled-top">
      <span>“Always” allows</span>
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
  );
}

function ShortcutKey({ name }: { name: string }) {
  return (
    <span aria-hidden="true">
      <kbd>{name}</kbd>
    </span>
  );
}
