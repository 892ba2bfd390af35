import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { deleteAccount, exportAddress } from "../api/account";
import { clearCachedData } from "../app/queries";
import { Losses } from "../ui/ConfirmDialog";
import { Dialog } from "../ui/Dialog";
import { Problem } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { Section } from "./Section";
import type { AccountTabProps } from "./tabProps";
import "./account.css";

/** Export of the person's data, and deletion of the account. */
export function Data({ me }: AccountTabProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Section
        title="Your data"
        about="A ZIP archive of JSON files: your profile, memberships, API tokens without their secrets, everything you wrote, and your entries of the audit log."
      >
        <a className="button" href={exportAddress} download>
          Download
        </a>
      </Section>
      <Section
        title="Delete account"
        about="If you are the only owner of a team, make another member an owner first."
      >
        <button type="button" className="button danger" onClick={() => setAsking(true)}>
          Delete account
        </button>
      </Section>
      <Dialog open={asking} onClose={() => setAsking(false)} title="Delete your account?">
        <AccountDeletion email={me.user.email} onCancel={() => setAsking(false)} />
      </Dialog>
    </>
  );
}

function AccountDeletion({ email, onCancel }: { email: string; onCancel: () => void }) {
  const [, go] = useLocation();
  const [password, setPassword] = useState("");
  const [address, setAddress] = useState("");
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await deleteAccount({ password, address: address.trim() });
      go("/");
      clearCachedData();
    });
  };
  return (
    <form className="confirm stack account-confirm gap-12" onSubmit={submit} aria-label="Delete your account">
      <Losses
        lost={`Your account, memberships, API tokens, passkeys and all sign-ins of ${email}, immediately and permanently.`}
        kept="Sessions and workspaces belong to their teams and stay there, without your name. The audit log is kept."
      />
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        value={password}
        onText={setPassword}
      />
      <TextField
        label="If you have no password: your e-mail address"
        type="email"
        autoComplete="off"
        value={address}
        onText={setAddress}
      />
      {error !== null && <Problem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="button danger" disabled={busy || !(password || address)}>
          Delete account
        </button>
      </div>
    </form>
  );
}
