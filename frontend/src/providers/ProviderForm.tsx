import { type FormEvent, useState } from "react";
import { changeProvider, createProvider, type Provider, type ProviderKind } from "../api/providers";
import { FieldsProblem } from "../ui/FieldsProblem";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { ConnectionFields } from "./ConnectionFields";
import { asChange, asNew, type Draft, draftOf, emptyDraft, halfPriced, withKey, withKind } from "./draft";
import { KnownModels } from "./KnownModels";
import { fieldLabel, OPTION_LABELS, SERVICE_ACCOUNT_HINT } from "./labels";
import { ModelRows } from "./ModelRows";
import { refreshProviders } from "./queries";
import "./providers.css";

interface ProviderFormProps {
  teamId: string;
  kinds: readonly ProviderKind[];
  /** Null for a new provider. */
  provider: Provider | null;
  /** What was typed before the form was closed without an answer. */
  kept: Draft | undefined;
  onKeep: (draft: Draft | undefined) => void;
  /** Receives the saved provider; null if the form was cancelled. */
  onDone: (saved: Provider | null) => void;
}

const kindOf = (kinds: readonly ProviderKind[], name: string | undefined) =>
  kinds.find((kind) => kind.name === name);

const keyHint = (kind: ProviderKind): string | undefined =>
  kind.key_form === "service_account"
    ? SERVICE_ACCOUNT_HINT
    : kind.sign_in_problem ||
      (kind.signs_in ? "Leave it empty to sign in with a code after saving." : undefined);

const addressHint = (kind: ProviderKind): string | undefined =>
  kind.example
    ? "As the site reaches it. Plain http and private hosts need PROVIDER_ALLOW, which an operator sets."
    : undefined;

const keyLabel = (kind: ProviderKind): string =>
  kind.key_form === "service_account"
    ? "Key file of the service account"
    : kind.needs_key
      ? "Key"
      : "Key, if required";

export function ProviderForm({ teamId, kinds, provider, kept, onKeep, onDone }: ProviderFormProps) {
  const first = kinds[0];
  const [draft, setDraft] = useState<Draft | null>(
    () =>
      kept ?? (provider ? draftOf(provider, kindOf(kinds, provider.kind)) : first ? emptyDraft(first) : null),
  );
  const { run, busy, error } = useAction();
  const kind = kindOf(kinds, draft?.kind);
  if (!draft || !kind) return null;
  const put = (next: Draft) => {
    setDraft(next);
    onKeep(next);
  };
  const set = (change: Partial<Draft>) => put({ ...draft, ...change });
  const end = (saved: Provider | null) => {
    onKeep(undefined);
    onDone(saved);
  };
  const half = halfPriced(draft.models);
  const movesAway = provider !== null && kind.wants_address && draft.base_url.trim() !== provider.base_url;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    let saved: Provider | null = null;
    const isSaved = await run(async () => {
      saved = provider
        ? await changeProvider(provider.id, asChange(draft, kind, provider.version))
        : await createProvider(teamId, asNew(draft, kind));
      await refreshProviders();
    });
    if (isSaved) end(saved);
  };
  return (
    <form
      className="provider-form stack gap-16"
      onSubmit={(event) => void submit(event)}
      aria-label="Provider"
    >
      {provider === null && (
        <label className="field">
          <span>Kind</span>
          <select
            value={draft.kind}
            onChange={(event) => {
              const chosen = kindOf(kinds, event.target.value);
              if (chosen) put(withKind(draft, kind, chosen));
            }}
          >
            <OptionList of={kinds.map((one) => [one.name, one.title])} />
          </select>
        </label>
      )}
      <div className="provider-names full-width">
        <TextField
          label="Name"
          required
          maxLength={120}
          value={draft.name}
          onText={(text) => set({ name: text })}
        />
        <TextField
          label="Short name"
          required
          maxLength={40}
          pattern="[a-z0-9][a-z0-9\-]*"
          title="Lowercase letters, digits and hyphens"
          readOnly={provider !== null}
          value={draft.slug}
          onText={(text) => set({ slug: text })}
        />
      </div>
      {kind.wants_address && (
        <TextField
          label="Address"
          type="url"
          required
          maxLength={500}
          placeholder={kind.example || "https://models.example.org/v1"}
          hint={addressHint(kind)}
          value={draft.base_url}
          onText={(text) => set({ base_url: text })}
        />
      )}
      {kind.options.map((name) => (
        <TextField
          key={name}
          label={OPTION_LABELS[name]?.label ?? name}
          required
          maxLength={100}
          placeholder={OPTION_LABELS[name]?.example}
          value={draft.options[name] ?? ""}
          onText={(text) => set({ options: { ...draft.options, [name]: text.trim() } })}
        />
      ))}
      {provider === null && (
        <TextField
          label={keyLabel(kind)}
          hint={keyHint(kind)}
          type="password"
          autoComplete="off"
          maxLength={8000}
          value={draft.key}
          onText={(text) => put(withKey(draft, kind, text))}
        />
      )}
      {movesAway && (
        <p className="read-only note">
          If you change the address, enter the key again: it belongs to the old address.
        </p>
      )}
      <KnownModels kind={kind.name} models={draft.models} onChange={(models) => set({ models })} />
      <ModelRows
        models={draft.models}
        providerId={provider && kind.lists_models && !movesAway ? provider.id : null}
        onChange={(models) => set({ models })}
      />
      {provider === null && kind.lists_models && (
        <p className="small muted">
          You can leave this empty: after you have added the provider, its own models are offered to tick.
        </p>
      )}
      <ConnectionFields draft={draft} provider={provider} onChange={set} />
      <label className="line gap-6 text-normal">
        <input
          type="checkbox"
          checked={draft.enabled}
          onChange={(event) => set({ enabled: event.target.checked })}
        />
        Available to sessions
      </label>
      {half.length > 0 && (
        <p className="text-failed" role="status">
          Enter both prices of {half.join(", ")} or neither.
        </p>
      )}
      {error !== null && <FieldsProblem error={error} fieldLabel={fieldLabel} />}
      <div className="flow end">
        <button type="button" className="button" onClick={() => end(null)}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy || half.length > 0}>
          {provider ? "Save" : "Add provider"}
        </button>
      </div>
    </form>
  );
}
