import { type FormEvent, useState } from "react";
import { type Address, changeAddress, removeAddress, sendConfirmationAgain } from "../api/auth";
import { Problem } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { useConfirming } from "./Confirmation";
import { accountKeys, refresh, useAddresses } from "./queries";
import { Section } from "./Section";
import "./account.css";

export function AddressChange() {
  const [email, setEmail] = useState("");
  const confirming = useConfirming();
  const { run, busy, error } = useAction();
  const waiting = useAddresses().data?.find((address) => !address.verified);
  const change = (action: () => Promise<unknown>) =>
    run(async () => {
      await confirming(action);
      setEmail("");
      await refresh(accountKeys.addresses);
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void change(() => changeAddress(email.trim()));
  };
  return (
    <Section
      title="E-mail address"
      about="You sign in with this address and receive e-mails there. A new address is used once you confirm it."
    >
      {waiting && <UnconfirmedAddress address={waiting} busy={busy} onChange={change} />}
      <form
        className="account-line flow align-end gap-12 gap-y-8 full-width"
        onSubmit={submit}
        aria-label="Change e-mail address"
      >
        <TextField
          label="New address"
          type="email"
          autoComplete="email"
          required
          value={email}
          onText={setEmail}
        />
        <button type="submit" className="button" disabled={busy}>
          Send confirmation e-mail
        </button>
      </form>
      {error !== null && <Problem error={error} />}
    </Section>
  );
}

interface UnconfirmedAddressProps {
  address: Address;
  busy: boolean;
  onChange: (action: () => Promise<unknown>) => Promise<boolean>;
}

function UnconfirmedAddress({ address, busy, onChange }: UnconfirmedAddressProps) {
  return (
    <div className="note waiting stack full-width" role="status">
      <p>
        <strong>{address.email}</strong> is not confirmed yet.
      </p>
      <div className="line gap-12">
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => void onChange(() => sendConfirmationAgain(address.email))}
        >
          Send again
        </button>
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => void onChange(() => removeAddress(address.email))}
        >
          Discard
        </button>
      </div>
    </div>
  );
}
