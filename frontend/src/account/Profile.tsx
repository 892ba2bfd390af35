import { type FormEvent, useState } from "react";
import { rename } from "../api/account";
import { keys, queryClient } from "../app/queries";
import { FieldsProblem } from "../ui/FieldsProblem";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { AddressChange } from "./AddressChange";
import { ConfirmationProvider } from "./Confirmation";
import type { AccountTabProps } from "./tabProps";

export function Profile({ me }: AccountTabProps) {
  return (
    <ConfirmationProvider>
      <NameForm name={me.user.name} />
      <AddressChange />
    </ConfirmationProvider>
  );
}

function NameForm({ name }: { name: string }) {
  const [text, setText] = useState(name);
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await rename(text);
      await queryClient.invalidateQueries({ queryKey: keys.me });
    });
  };
  return (
    <form className="settings-form stack items-start gap-16" onSubmit={submit} aria-label="Your name">
      <TextField label="Name" maxLength={120} autoComplete="name" value={text} onText={setText} />
      <p className="muted">
        People in your teams see this name. If it is empty, they see your e-mail address.
      </p>
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button" disabled={busy || text.trim() === name}>
        Save
      </button>
    </form>
  );
}
