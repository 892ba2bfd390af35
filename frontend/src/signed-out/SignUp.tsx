import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { type MissingStep, signUp } from "../api/auth";
import { Problem } from "../ui/Notice";
import { EmailField, NewPasswordField, TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { AddressUnconfirmed } from "./AddressUnconfirmed";
import { Card } from "./Card";
import { ProviderButtons } from "./ProviderButtons";
import { rememberInvitation } from "./pendingInvitation";
import { completeSignIn, useConfig } from "./session";
import "./signed-out.css";

/** Sign-up page; only some sites allow it without an invitation. */
export function SignUp() {
  const config = useConfig().data;
  if (config && !config.open) {
    return (
      <Card
        title="Accounts are by invitation"
        intro="Ask a team admin to invite you, then open the link in the e-mail."
      >
        <Link href="/" className="button wide">
          Back to sign in
        </Link>
      </Card>
    );
  }
  return <SignUpCard title="Create an account" />;
}

interface SignUpCardProps {
  title: string;
  intro?: string;
  /** The address is the invitation's own. */
  invitation?: { secret: string; email: string };
}

export function SignUpCard({ title, intro, invitation }: SignUpCardProps) {
  const [email, setEmail] = useState(invitation?.email ?? "");
  const [waits, setWaits] = useState(false);
  const [, go] = useLocation();
  const follow = async (missing: MissingStep | null) => {
    if (missing && invitation) rememberInvitation(invitation.secret);
    if (missing) return setWaits(true);
    go("/");
    await completeSignIn();
  };
  if (waits) return <AddressUnconfirmed email={email} onBack={() => setWaits(false)} />;
  return (
    <Card title={title} intro={intro}>
      <SignUpForm email={email} onEmail={setEmail} invitation={invitation} onDone={follow} />
      <div className="sign-in-ways stack gap-16">
        <ProviderButtons process="login" />
      </div>
    </Card>
  );
}

interface SignUpFormProps {
  email: string;
  onEmail: (email: string) => void;
  invitation?: { secret: string };
  onDone: (missing: MissingStep | null) => Promise<void>;
}

function SignUpForm({ email, onEmail, invitation, onDone }: SignUpFormProps) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const newcomer = { email: email.trim(), password, name: name.trim() };
    void run(async () => onDone(await signUp({ ...newcomer, invitation: invitation?.secret ?? "" })));
  };
  return (
    <form className="sign-in-form stack gap-16" onSubmit={submit} aria-label="Create an account">
      <TextField label="Name" autoComplete="name" maxLength={120} value={name} onText={setName} />
      <EmailField readOnly={!!invitation} value={email} onText={onEmail} />
      <NewPasswordField label="Password" value={password} onText={setPassword} />
      {error !== null && <Problem error={error} />}
      <button type="submit" className="button primary wide" disabled={busy}>
        Create account
      </button>
      <p className="flow gap-16 gap-y-4 muted">
        Already have an account?{" "}
        <Link href={invitation ? `/invitations/${invitation.secret}?sign-in` : "/"} className="link">
          Sign in
        </Link>
      </p>
    </form>
  );
}
