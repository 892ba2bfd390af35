import { type FormEvent, useState } from "react";
import { changePassword } from "../api/auth";
import { Problem } from "../ui/Notice";
import { NewPasswordField, TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { useConfirming } from "./Confirmation";
import { accountKeys, refresh } from "./queries";
import { Section } from "./Section";
import "./account.css";

export function PasswordChange() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [done, setDone] = useState(false);
  const confirming = useConfirming();
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setDone(false);
    void run(async () => {
      await confirming(() => changePassword(current, next));
      setCurrent("");
      setNext("");
      setDone(true);
      void refresh(accountKeys.devices);
    });
  };
  return (
    <Section title="Password" about="A new password signs you out everywhere else. API tokens keep working.">
      <form
        className="account-form stack items-start gap-12 full-width"
        onSubmit={submit}
        aria-label="Change password"
      >
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onText={setCurrent}
        />
        <NewPasswordField label="New password" value={next} onText={setNext} />
        {error !== null && <Problem error={error} />}
        {done && <p role="status">Your password was changed.</p>}
        <button type="submit" className="button" disabled={busy}>
          {" "}
          Change password{" "}
        </button>
      </form>
    </Section>
  );
}
