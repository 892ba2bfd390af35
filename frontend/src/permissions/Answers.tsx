import { useState } from "react";
import type { PermissionReply, Scope } from "../api/types";
import { visibleLine } from "../lib/visible";
import type { Answering } from "./approvers";
import { type Granted, SCOPE_WORDS } from "./words";

interface AnswersProps {
  grants: Granted[];
  scopes: Scope[];
  scope: Scope;
  onScope: (scope: Scope) => void;
  busy: boolean;
  quiet: boolean;
  reply: (answer: PermissionReply) => void;
  /** The id of the sentence that explains why the buttons are disabled. */
  reasonId?: string;
  answering: Answering;
}

/** The buttons allow once, always allow and reject, with their keys. */
export function Answers({
  grants,
  scopes,
  scope,
  onScope,
  busy,
  quiet,
  reply,
  reasonId,
  answering,
}: AnswersProps) {
  const [words, setWords] = useState<string | null>(null);
  const button = (key: string, shown: string, label: string, answer: PermissionReply) => (
    <button
      type="button"
      className={`button ${key === "a" ? "primary" : ""}`}
      data-key={key}
      disabled={busy || !(answer.reply === "reject" ? answering.mayReject : answering.may)}
      aria-describedby={reasonId}
      onClick={() => reply(answer)}
    >
      {label} {!quiet && <Key name={shown} />}
    </button>
  );
  return (
    <>
      <div className="answers">
        {button("a", "a", "Allow once", { reply: "once" })}
        {grants.length > 0 && button("A", "⇧ a", "Always allow", { reply: "always", scope })}
        {button("r", "r", "Reject", { reply: "reject" })}
        {words === null && answering.mayReject && (
          <button type="button" className="link" onClick={() => setWords("")}> Reject with a message </button>
        )}
      </div>
      {words !== null && answering.mayReject && (
        <Words words={words} onWords={setWords} busy={busy} reply={reply} />
      )}
      {grants.length > 0 && answering.may && (
        <AlwaysTerms grants={grants} scopes={scopes} scope={scope} onScope={onScope} />
      )}
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
        placeholder="What the agent should do instead"
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
      <span>“Always” allows</span>
      {grants.map((grant) => (
        <code key={`${grant.permission} ${grant.pattern}`}>
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
