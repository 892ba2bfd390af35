import { type FormEvent, useState } from "react";
import { type Authenticator, addPasskey, canUsePasskeys, removePasskey } from "../api/auth";
import { formatAgo } from "../lib/format";
import { Problem } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { useConfirming } from "./Confirmation";
import { accountKeys, refresh } from "./queries";
import { Section } from "./Section";
import "./account.css";

const ago = (seconds: number) => formatAgo(new Date(seconds * 1000).toISOString());

export function Passkeys({ passkeys }: { passkeys: Authenticator[] }) {
  const [name, setName] = useState("");
  const confirming = useConfirming();
  const { run, busy, error } = useAction();
  const change = (action: () => Promise<unknown>) =>
    run(async () => {
      await confirming(action);
      setName("");
      await refresh(accountKeys.factors);
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void change(() => addPasskey(name.trim()));
  };
  return (
    <Section
      title="Passkeys"
      about="Sign in with a fingerprint, your face or a security key instead of a password. A passkey also works as the second step after your password."
    >
      {error !== null && <Problem error={error} />}
      {passkeys.length > 0 && (
        <ul className="account-list full-width">
          {passkeys.map((passkey) => (
            <li className="line between gap-16 ruled" key={passkey.id} data-testid="passkey">
              <span className="stack gap-0 break-anywhere">
                {passkey.name || "Passkey"}
                <small className="muted">
                  Added {ago(passkey.created_at)}
                  {passkey.last_used_at ? `, used ${ago(passkey.last_used_at)}` : ", not used yet"}
                </small>
              </span>
              <button
                type="button"
                className="button danger"
                disabled={busy}
                onClick={() => void change(() => removePasskey(passkey.id ?? 0))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {canUsePasskeys() ? (
        <form
          className="account-line flow align-end gap-12 gap-y-8 full-width"
          onSubmit={submit}
          aria-label="Add a passkey"
        >
          <TextField label="Name of the new passkey" required maxLength={100} value={name} onText={setName} />
          <button type="submit" className="button" disabled={busy}>
            Add a passkey
          </button>
        </form>
      ) : (
        <p className="muted">This browser does not support passkeys.</p>
      )}
    </Section>
  );
}
