import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { checkResetKey, requestPasswordReset, setPassword } from "../api/auth";
import { Problem } from "../ui/Notice";
import { EmailField, NewPasswordField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { Card } from "./Card";
import "./signed-out.css";

const BACK_LINK = (
  <Link href="/" className="link">
    Back to sign in
  </Link>
);

export function ForgotPassword() {
  const [email, setEmail] = useState("");
  const [sent, setSent] = useState(false);
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await requestPasswordReset(email.trim());
      setSent(true);
    });
  };
  if (sent) {
    return (
      <Card
        title="Check your e-mail"
        intro={`If ${email} has an account here, we sent it an e-mail with a link.`}
      >
        {BACK_LINK}
      </Card>
    );
  }
  return (
    <Card
      title="Set a new password"
      intro="We will e-mail you a link. Your password does not change until you use it."
    >
      <form className="sign-in-form stack gap-16" onSubmit={submit} aria-label="Request a new password">
        <EmailField value={email} onText={setEmail} />
        {error !== null && <Problem error={error} />}
        <button type="submit" className="button primary wide" disabled={busy}>
          Send e-mail
        </button>
        {BACK_LINK}
      </form>
    </Card>
  );
}

export function ResetPassword({ mailed }: { mailed: string }) {
  const [password, setText] = useState("");
  const [done, setDone] = useState(false);
  const { run, busy, error } = useAction();
  const key = useQuery({ queryKey: ["reset", mailed], queryFn: () => checkResetKey(mailed), retry: false });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await setPassword(mailed, password);
      setDone(true);
    });
  };
  if (done) {
    return (
      <Card
        title="Your password was set"
        intro="You were signed out everywhere. Sign in with the new password."
      >
        {BACK_LINK}
      </Card>
    );
  }
  if (key.error) {
    return (
      <Card title="Set a new password">
        <Problem error={key.error} />
        <Link href="/forgot-password" className="button wide">
          Request a new link
        </Link>
      </Card>
    );
  }
  return (
    <Card title="Set a new password">
      <form className="sign-in-form stack gap-16" onSubmit={submit} aria-label="New password">
        <NewPasswordField label="New password" value={password} onText={setText} />
        {error !== null && <Problem error={error} />}
        <button type="submit" className="button primary wide" disabled={busy}>
          {" "}
          Set password{" "}
        </button>
      </form>
    </Card>
  );
}
