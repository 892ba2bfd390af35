import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { deleteAccount, exportAddress } from "../api/account";
import { forgetEverything } from "../app/queries";
import { TextField } from "../signed-out/TextField";
import { Dialog } from "../ui/Dialog";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Section } from "./Section";
import type { AccountTabProps } from "./tabs";

/** What the site keeps of a person, and the end of it. */
export function Data({ me }: AccountTabProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Section
        title="Your data"
        about="Your profile, memberships, tokens without their secrets, what you wrote, and what the audit log says that you did: a ZIP archive of JSON files."
      >
        <a className="button" href={exportAddress} download>
          Download
        </a>
      </Section>
      <Section
        title="Delete the account"
        about="Somebody else must own the teams of which you are the only owner; then you can go."
      >
        <button type="button" className="button danger" onClick={() => setAsking(true)}>
          Delete the account
        </button>
      </Section>
      <Dialog open={asking} onClose={() => setAsking(false)} title="Delete your account?">
        <Deletion email={me.user.email} onCancel={() => setAsking(false)} />
      </Dialog>
    </>
  );
}

function Deletion({ email, onCancel }: { email: string; onCancel: () => void }) {
  const [, go] = useLocation();
  const [password, setPassword] = useState("");
  const [address, setAddress] = useState("");
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await deleteAccount({ password, address: address.trim() });
      go("/");
      forgetEverything();
    });
  };
  return (
    <form className="confirm account-confirm" onSubmit={submit} aria-label="Delete your account">
      <dl>
        <div>
          <dt>Lost</dt>
          <dd>
            Your account, memberships, tokens, passkeys and all sessions of {email}, at once and for good.
          </dd>
        </div>
        <div>
          <dt>Kept</dt>
          <dd>
            Sessions and workspaces belong to their teams and stay there, without your name. The audit log
            stays.
          </dd>
        </div>
      </dl>
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        value={password}
        onText={setPassword}
      />
      <TextField
        label="Without a password: your address"
        type="email"
        autoComplete="off"
        value={address}
        onText={setAddress}
      />
      {error !== null && <Problem error={error} />}
      <div className="confirm-foot">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="button danger" disabled={busy || !(password || address)}>
          Delete the account
        </button>
      </div>
    </form>
  );
}
