import { type FormEvent, useState } from "react";
import { ApiError } from "../api/http";
import {
  type Connection,
  type ConnectionKind,
  createConnection,
  removeConnection,
  replaceCredential,
  testConnection,
} from "../api/repositories";
import { queryClient } from "../app/queries";
import { FieldsProblem } from "../ui/FieldsProblem";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { CredentialFields, credentialOf, isFilled, NO_CREDENTIAL } from "./CredentialFields";
import { connectionsKey, KIND_OPTIONS, KINDS, kindOf } from "./kinds";

const LABELS: Record<string, string> = {
  base_url: "Address",
  name: "Name",
  username: "User name",
  token: "Token",
  app_id: "App id or client id",
  installation_id: "Installation id",
  private_key: "Private key",
};
const labelOf = (field: string): string => LABELS[field] ?? field;

interface ConnectionFormProps {
  teamId: string;
  /** Called with the connection after its test. */
  onConnected: (connection: Connection) => void;
  /** Keeps a connection that failed its test, so that it can be repaired later. Otherwise the form says why. */
  keepsFailed?: boolean;
  onCancel?: () => void;
}

/** Connects a team with a forge, and tests the connection at once. */
export function ConnectionForm({ teamId, onConnected, keepsFailed, onCancel }: ConnectionFormProps) {
  const [selected, setKind] = useState<ConnectionKind | null>(null);
  const [address, setAddress] = useState("");
  const [draft, setDraft] = useState(NO_CREDENTIAL);
  const { run, busy, error } = useAction();
  const kind = selected ?? kindOf(address) ?? "github";
  const { needsAddress, usualAddress } = KINDS[kind];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    void run(async () => {
      const credential = credentialOf(kind, draft);
      const made = await createConnection(teamId, { kind, base_url: address.trim(), ...credential });
      // a key that the site has just made is not registered yet
      const report = kind === "ssh" ? null : await testConnection(made.id).catch(() => null);
      if (report && !report.ok && !keepsFailed) {
        await removeConnection(made.id);
        throw new ApiError(409, "connection_failed", report.message, report.hint);
      }
      setDraft(NO_CREDENTIAL);
      await queryClient.invalidateQueries({ queryKey: connectionsKey(teamId) });
      onConnected(made);
    });
  };
  return (
    <form className="stack gap-16" onSubmit={submit} aria-label="Connect a forge">
      <label className="field">
        <span>Forge</span>
        <select value={kind} onChange={(event) => setKind(event.target.value as ConnectionKind)}>
          <OptionList of={KIND_OPTIONS} />
        </select>
      </label>
      <TextField
        label={needsAddress ? "Address" : "Address of a self-hosted server"}
        type="text"
        inputMode="url"
        spellCheck={false}
        required={needsAddress}
        placeholder={usualAddress || "https://git.example.org"}
        value={address}
        onText={setAddress}
      />
      <CredentialFields kind={kind} draft={draft} onDraft={setDraft} />
      <p className="muted small">
        {kind === "ssh" ? "The private key" : "It"} is encrypted at once. Nobody can read it again, and no
        workspace gets it.
      </p>
      {error !== null && <FieldsProblem error={error} fieldLabel={labelOf} />}
      <div className="flow end">
        {onCancel && (
          <button type="button" className="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button
          type="submit"
          className="button primary"
          disabled={busy || !isFilled(kind, draft) || (needsAddress && !address.trim())}
        >
          {busy ? "Connecting" : "Connect"}
        </button>
      </div>
    </form>
  );
}

interface CredentialFormProps {
  connection: Connection;
  onSaved: () => Promise<unknown>;
}

/** Replaces the credential of a connection, and tests it. */
export function CredentialForm({ connection, onSaved }: CredentialFormProps) {
  const [draft, setDraft] = useState({ ...NO_CREDENTIAL, isApp: connection.auth === "app" });
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await replaceCredential(connection.id, credentialOf(connection.kind, draft));
      setDraft(NO_CREDENTIAL);
      if (connection.kind !== "ssh") await testConnection(connection.id).catch(() => null);
      await onSaved();
    });
  };
  return (
    <form className="confirm stack gap-16" onSubmit={submit} aria-label="Replace the credential">
      <CredentialFields kind={connection.kind} draft={draft} onDraft={setDraft} />
      {error !== null && <FieldsProblem error={error} fieldLabel={labelOf} />}
      <div className="flow end">
        <button type="submit" className="button primary" disabled={busy || !isFilled(connection.kind, draft)}>
          Replace
        </button>
      </div>
    </form>
  );
}
