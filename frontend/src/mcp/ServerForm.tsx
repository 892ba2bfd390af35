import { type FormEvent, useId, useState } from "react";
import type { McpServer } from "../api/mcp";
import { FieldsProblem } from "../ui/FieldsProblem";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import type { ServerFields } from "./serverFields";
import "./mcp.css";

interface ServerFormProps {
  title: string;
  verb: string;
  start: ServerFields;
  /** The server that is changed; without it, a new one is added. */
  before?: McpServer;
  hint?: string;
  /** It must be reached over the network. */
  remoteOnly?: boolean;
  save: (fields: ServerFields) => Promise<void>;
}

/** The settings of an MCP server. The kind and the name of a server cannot be changed. */
export function ServerForm({ title, verb, start, before, hint, remoteOnly, save }: ServerFormProps) {
  const [fields, setFields] = useState(start);
  const set = (change: Partial<ServerFields>) => setFields((now) => ({ ...now, ...change }));
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await save(fields);
      setFields((now) => ({ ...now, secret: "", clientSecret: "" }));
    });
  };
  const isReady = fields.name.trim() && (fields.kind === "local" ? fields.command.trim() : fields.url.trim());
  return (
    <form className="token-form mcp-form ruled" onSubmit={submit} aria-label={title}>
      {hint && <p className="muted full-row">{hint}</p>}
      {!before && <Identity fields={fields} set={set} remoteOnly={remoteOnly} />}
      {fields.kind === "local" ? (
        <LocalFields fields={fields} set={set} />
      ) : (
        <RemoteFields fields={fields} set={set} isStored={Boolean(before?.secret_headers.length)} />
      )}
      <TextField
        label="Seconds for one call"
        type="number"
        min={1}
        max={600}
        value={fields.timeout}
        onText={(timeout) => set({ timeout })}
      />
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button primary" disabled={busy || !isReady}>
        {verb}
      </button>
    </form>
  );
}

interface PartProps {
  fields: ServerFields;
  set: (change: Partial<ServerFields>) => void;
}

function Identity({ fields, set, remoteOnly = false }: PartProps & { remoteOnly?: boolean | undefined }) {
  const id = useId();
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={32}
        spellCheck={false}
        autoComplete="off"
        placeholder="github"
        hint="Its tools are called name_tool."
        value={fields.name}
        onText={(name) => set({ name })}
      />
      {!remoteOnly && (
        <div className="field">
          <label htmlFor={id}>Where it runs</label>
          <select
            id={id}
            value={fields.kind}
            onChange={(event) => set({ kind: event.target.value === "remote" ? "remote" : "local" })}
          >
            <option value="local">In the workspaces</option>
            <option value="remote">Elsewhere, reached over HTTP</option>
          </select>
        </div>
      )}
    </>
  );
}

function LocalFields({ fields, set }: PartProps) {
  return (
    <>
      <LinesField
        label="Command, one word in each line"
        rows={4}
        placeholder={"npx\n-y\n@modelcontextprotocol/server-filesystem\n/workspace"}
        value={fields.command}
        onText={(command) => set({ command })}
      />
      <LinesField
        label="Environment, NAME=value in each line"
        rows={2}
        hint="{env:NAME} stands for a variable of the project or the team. Everybody in the team can read the command; put secrets into variables."
        value={fields.environment}
        onText={(environment) => set({ environment })}
      />
    </>
  );
}

function RemoteFields({ fields, set, isStored }: PartProps & { isStored: boolean }) {
  const id = useId();
  return (
    <>
      <TextField
        label="Address"
        required
        type="url"
        placeholder="https://mcp.example.org/mcp"
        value={fields.url}
        onText={(url) => set({ url })}
      />
      <div className="field">
        <label htmlFor={id}>Transport</label>
        <select
          id={id}
          value={fields.transport}
          onChange={(event) => set({ transport: event.target.value === "sse" ? "sse" : "http" })}
        >
          <option value="http">Streamable HTTP</option>
          <option value="sse">Server-sent events (older servers)</option>
        </select>
      </div>
      <TextField
        label="Header with the key"
        spellCheck={false}
        autoComplete="off"
        placeholder="Authorization"
        hint="Leave it empty if the server needs no key."
        value={fields.header}
        onText={(header) => set({ header })}
      />
      <TextField
        label="Value of the header"
        type="password"
        autoComplete="off"
        placeholder={isStored ? "Leave empty to keep the value" : "Bearer …"}
        hint="It is encrypted, and nobody can read it again."
        value={fields.secret}
        onText={(secret) => set({ secret })}
      />
      <SignInFields fields={fields} set={set} />
    </>
  );
}

function SignInFields({ fields, set }: PartProps) {
  const id = useId();
  return (
    <>
      <div className="field">
        <label htmlFor={id}>If it wants a sign-in</label>
        <select
          id={id}
          value={fields.signIn}
          onChange={(event) => set({ signIn: event.target.value === "team" ? "team" : "person" })}
        >
          <option value="person">Everybody signs in with their own account</option>
          <option value="team">An admin signs in with one account for all</option>
        </select>
      </div>
      <TextField
        label="Client id"
        spellCheck={false}
        autoComplete="off"
        hint="Only for a server at which agentsite cannot register itself."
        value={fields.clientId}
        onText={(clientId) => set({ clientId })}
      />
      <TextField
        label="Client secret"
        type="password"
        autoComplete="off"
        hint="It is encrypted, and nobody can read it again."
        value={fields.clientSecret}
        onText={(clientSecret) => set({ clientSecret })}
      />
    </>
  );
}

interface LinesFieldProps {
  label: string;
  rows: number;
  value: string;
  hint?: string;
  placeholder?: string;
  onText: (text: string) => void;
}

function LinesField({ label, hint, onText, ...input }: LinesFieldProps) {
  const id = useId();
  return (
    <div className="field full-row">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...input}
        id={id}
        className="mono"
        spellCheck={false}
        autoComplete="off"
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onText(event.target.value)}
      />
      {hint && (
        <small id={`${id}-hint`} className="muted">
          {hint}
        </small>
      )}
    </div>
  );
}
