import { type FormEvent, useState } from "react";
import { type AppSecret, beginAppSetup, finishAppSetup, removeApp } from "../api/auth";
import { Problem } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { useConfirming } from "./Confirmation";
import { QrCode } from "./QrCode";
import { accountKeys, refresh } from "./queries";
import { Section } from "./Section";
import "./account.css";

export function AppCodes({ on }: { on: boolean }) {
  const [secret, setSecret] = useState<AppSecret | null>(null);
  const confirming = useConfirming();
  const { run, busy, error } = useAction();
  const change = (action: () => Promise<unknown>) =>
    run(async () => {
      await confirming(action);
      await refresh(accountKeys.factors);
    });
  const begin = () => run(async () => setSecret(await confirming(beginAppSetup)));
  return (
    <Section
      title="Authenticator app"
      about={
        on
          ? "On. Signing in with your password also requires a code from the app."
          : "An app on your phone shows a new code every 30 seconds. Signing in then requires your password and a code."
      }
    >
      {error !== null && <Problem error={error} />}
      {secret && !on && <Activation secret={secret} onDone={() => setSecret(null)} />}
      {on && (
        <button
          type="button"
          className="button danger"
          disabled={busy}
          onClick={() => void change(removeApp)}
        >
          Turn off
        </button>
      )}
      {!on && !secret && (
        <button type="button" className="button" disabled={busy} onClick={() => void begin()}>
          Set up
        </button>
      )}
    </Section>
  );
}

function Activation({ secret, onDone }: { secret: AppSecret; onDone: () => void }) {
  const [code, setCode] = useState("");
  const confirming = useConfirming();
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await confirming(() => finishAppSetup(code));
      await refresh(accountKeys.factors);
      onDone();
    });
  };
  return (
    <form
      className="account-form stack items-start gap-12 full-width"
      onSubmit={submit}
      aria-label="Set up authenticator app"
    >
      <p>Scan this QR code with the app, or type the key into it. Then enter the code that the app shows.</p>
      <QrCode text={secret.totp_url} label="QR code of the key, for the app's camera" />
      <code className="mono break-anywhere" data-testid="totp-secret">
        {secret.secret}
      </code>
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        value={code}
        onText={setCode}
      />
      {error !== null && <Problem error={error} />}
      <button type="submit" className="button primary" disabled={busy}>
        Turn on
      </button>
    </form>
  );
}
