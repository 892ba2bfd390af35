import { type ReactNode, useState } from "react";
import type { ConnectionKind, Credential } from "../api/repositories";
import { TextField } from "../ui/TextField";
import { KINDS } from "./kinds";

export interface CredentialDraft {
  isApp: boolean;
  token: string;
  username: string;
  appId: string;
  installationId: string;
  privateKey: string;
}

export const NO_CREDENTIAL: CredentialDraft = {
  isApp: false,
  token: "",
  username: "",
  appId: "",
  installationId: "",
  privateKey: "",
};

/** Returns what the API wants of a draft. */
export function credentialOf(kind: ConnectionKind, draft: CredentialDraft): Credential {
  if (kind === "github" && draft.isApp)
    return {
      app: {
        app_id: draft.appId.trim(),
        installation_id: draft.installationId.trim(),
        private_key: draft.privateKey,
      },
    };
  if (kind === "ssh") return {};
  const named = kind === "git" || kind === "bitbucket" || kind === "gitea";
  return { token: draft.token.trim(), username: named ? draft.username.trim() : "" };
}

/** Returns whether enough is filled in to send the draft. */
export function isFilled(kind: ConnectionKind, draft: CredentialDraft): boolean {
  if (kind === "github" && draft.isApp) return !!draft.appId.trim() && !!draft.privateKey.trim();
  return kind === "git" || kind === "ssh" || !!draft.token.trim();
}

interface CredentialFieldsProps {
  kind: ConnectionKind;
  draft: CredentialDraft;
  onDraft: (draft: CredentialDraft) => void;
}

/** The fields of a credential: a token, perhaps with a user name, or a GitHub App. */
export function CredentialFields({ kind, draft, onDraft }: CredentialFieldsProps) {
  const change = (part: Partial<CredentialDraft>) => onDraft({ ...draft, ...part });
  const { token, hint } = KINDS[kind];
  if (kind === "ssh") return <p>{hint}</p>;
  if (kind === "github" && draft.isApp)
    return (
      <>
        <Ways isApp onApp={(isApp) => change({ isApp })} />
        <AppFields draft={draft} change={change} />
      </>
    );
  return (
    <>
      {kind === "github" && <Ways isApp={false} onApp={(isApp) => change({ isApp })} />}
      {(kind === "git" || kind === "bitbucket") && (
        <TextField
          label="User name (if needed)"
          autoComplete="off"
          value={draft.username}
          onText={(username) => change({ username })}
        />
      )}
      <SecretField label={token} hint={hint} value={draft.token} onText={(text) => change({ token: text })} />
    </>
  );
}

function Ways({ isApp, onApp }: { isApp: boolean; onApp: (isApp: boolean) => void }) {
  const choice = (label: string, value: boolean): ReactNode => (
    <label className="line gap-6">
      <input type="radio" name="github-way" checked={isApp === value} onChange={() => onApp(value)} /> {label}
    </label>
  );
  return (
    <fieldset className="flow gap-16">
      <legend className="sr-only">How the site signs in at GitHub</legend>
      {choice("Token", false)}
      {choice("GitHub App", true)}
    </fieldset>
  );
}

interface AppFieldsProps {
  draft: CredentialDraft;
  change: (part: Partial<CredentialDraft>) => void;
}

function AppFields({ draft, change }: AppFieldsProps) {
  return (
    <>
      <TextField
        label="App id or client id"
        autoComplete="off"
        value={draft.appId}
        onText={(appId) => change({ appId })}
      />
      <TextField
        label="Installation id (if it is installed in several places)"
        autoComplete="off"
        inputMode="numeric"
        value={draft.installationId}
        onText={(installationId) => change({ installationId })}
      />
      <label className="field">
        <span>Private key</span>
        <textarea
          rows={4}
          className="mono"
          spellCheck={false}
          placeholder="-----BEGIN RSA PRIVATE KEY-----"
          value={draft.privateKey}
          onChange={(event) => change({ privateKey: event.target.value })}
        />
        <small className="muted">The content of the .pem file that GitHub made for the app.</small>
      </label>
    </>
  );
}

interface SecretFieldProps {
  label: string;
  hint: string;
  value: string;
  onText: (text: string) => void;
}

function SecretField(props: SecretFieldProps) {
  const [shown, setShown] = useState(false);
  return (
    <div className="stack gap-4">
      <TextField {...props} type={shown ? "text" : "password"} autoComplete="off" spellCheck={false} />
      <label className="line gap-6 small muted">
        <input type="checkbox" checked={shown} onChange={() => setShown(!shown)} /> Show it while you type
      </label>
    </div>
  );
}
