import { type FormEvent, useState } from "react";
import { type Factor, type MissingStep, submitMfaCode, submitMfaPasskey } from "../api/auth";
import { Problem } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { Card } from "./Card";
import "./signed-out.css";

interface MfaStepProps {
  factors: Factor[];
  onDone: (missing: MissingStep | null) => Promise<void>;
  onBack: () => void;
}

/** The MFA step after the password: a code from an app, a recovery code or a passkey. */
export function MfaStep({ factors, onDone, onBack }: MfaStepProps) {
  const [recovering, setRecovering] = useState(!factors.includes("totp"));
  const [code, setCode] = useState("");
  const { run, busy, error, clear } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => onDone(await submitMfaCode(code)));
  };
  const turn = () => {
    setRecovering(!recovering);
    setCode("");
    clear();
  };
  return (
    <Card
      title="One more step"
      intro={recovering ? RECOVERY_HINT : "Enter the code that your authenticator app shows for agentsite."}
    >
      <form className="sign-in-form stack gap-16" onSubmit={submit} aria-label="Second step of signing in">
        <TextField
          key={String(recovering)}
          label={recovering ? "Recovery code" : "Code"}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          autoFocus
          value={code}
          onText={setCode}
        />
        {error !== null && <Problem error={error} />}
        <button type="submit" className="button primary wide" disabled={busy}>
          Continue
        </button>
        {factors.includes("webauthn") && (
          <button
            type="button"
            className="button wide"
            disabled={busy}
            onClick={() => void run(async () => onDone(await submitMfaPasskey()))}
          >
            Use a passkey
          </button>
        )}
        <p className="flow gap-16 gap-y-4 muted">
          {factors.includes("totp") && (
            <button type="button" className="link" onClick={turn}>
              {recovering ? "Use a code from the app" : "Use a recovery code"}
            </button>
          )}{" "}
          <button type="button" className="link" onClick={onBack}>
            Back to sign in
          </button>
        </p>
      </form>
    </Card>
  );
}

const RECOVERY_HINT = "Enter one of your recovery codes. Each works once.";
