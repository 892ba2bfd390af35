import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { canUsePasskeys, type MissingStep, signIn, signInByPasskey } from "../api/auth";
import { useSite } from "../app/queries";
import { Problem } from "../ui/Notice";
import { EmailField, TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { AddressUnconfirmed } from "./AddressUnconfirmed";
import { Card, SIGN_IN } from "./Card";
import { MfaStep } from "./MfaStep";
import { operatorPageIn } from "./operatorPages";
import { ProviderButtons } from "./ProviderButtons";
import { completeSignIn, useConfig } from "./session";
import "./signed-out.css";

/**
 * Shown instead of any page while nobody is signed in. The URL stays the same, so signing in returns to it.
 */
export function SignIn({ expired }: { expired: boolean }) {
  const [email, setEmail] = useState("");
  const [missing, setMissing] = useState<MissingStep | null>(null);
  const follow = async (next: MissingStep | null) => {
    if (next) setMissing(next);
    else await completeSignIn();
  };
  const back = () => setMissing(null);
  if (missing?.step === "verify_email") return <AddressUnconfirmed email={email} onBack={back} />;
  if (missing) return <MfaStep factors={missing.factors} onDone={follow} onBack={back} />;
  return (
    <Card
      title={SIGN_IN}
      intro={
        expired
          ? "Your session expired. Sign in to return to this page. Unsent prompts are kept."
          : "AI agents that work in your team's containers and ask before they act."
      }
    >
      <PasswordForm email={email} onEmail={setEmail} onDone={follow} />
      <OtherMethods onDone={follow} />
    </Card>
  );
}

interface PasswordFormProps {
  email: string;
  onEmail: (email: string) => void;
  onDone: (missing: MissingStep | null) => Promise<void>;
}

function PasswordForm({ email, onEmail, onDone }: PasswordFormProps) {
  const site = useSite().data;
  const [password, setPassword] = useState("");
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => onDone(await signIn(email.trim(), password)));
  };
  const fillDemo = () => {
    onEmail(site?.demo_login?.email ?? "");
    setPassword(site?.demo_login?.password ?? "");
  };
  return (
    <form className="sign-in-form stack gap-16" onSubmit={submit} aria-label="Sign in">
      <EmailField value={email} onText={onEmail} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onText={setPassword}
      />
      {error !== null && <Problem error={error} />}
      <button type="submit" className="button primary wide" disabled={busy}>
        {busy ? "Signing in…" : "Sign in"}
      </button>
      <Link href="/forgot-password" className="link">
        Forgot your password?
      </Link>
      {site?.demo_login && (
        <p className="sign-in-demo muted ruled-top">
          This is a demo site.{" "}
          <button type="button" className="link" onClick={fillDemo}>
            Use the demo login
          </button>
        </p>
      )}
    </form>
  );
}

/** Path to return to after the identity provider. */
const returnTo = (next: string | null) => (next ? { next } : {});

function OtherMethods({ onDone }: { onDone: (missing: MissingStep | null) => Promise<void> }) {
  const config = useConfig().data;
  const { run, busy, error } = useAction();
  return (
    <div className="sign-in-ways stack gap-16">
      {error !== null && <Problem error={error} />}
      {canUsePasskeys() && (
        <button
          type="button"
          className="button wide"
          disabled={busy}
          onClick={() => void run(async () => onDone(await signInByPasskey()))}
        >
          Sign in with a passkey
        </button>
      )}
      <ProviderButtons process="login" {...returnTo(operatorPageIn(window.location.search))} />
      {config?.open && (
        <p className="flow gap-16 gap-y-4 muted">
          New here?{" "}
          <Link href="/sign-up" className="link">
            Create an account
          </Link>
        </p>
      )}
    </div>
  );
}
