import { useRef, useState } from "react";
import { Link } from "wouter";
import type { Provider, ProviderKind } from "../api/providers";
import { plural } from "../lib/format";
import type { TeamTabProps } from "../team/tabProps";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { AddModels } from "./AddModels";
import type { Draft } from "./draft";
import { keyText, STATE_LABELS } from "./labels";
import { ModelChoices } from "./ModelChoices";
import { ProviderActions } from "./ProviderActions";
import { ProviderForm } from "./ProviderForm";
import { useProviderKinds, useProviders } from "./queries";
import "./providers.css";

/** The team's providers with their keys and states, and the models that the team uses. */
export function Providers({ team }: TeamTabProps) {
  const providers = useProviders(team.id);
  const kinds = useProviderKinds();
  const [edited, setEdited] = useState<Provider | "new" | null>(null);
  const [savedId, setSavedId] = useState("");
  const [choosing, setChoosing] = useState<Provider | null>(null);
  const drafts = useRef(new Map<string, Draft>());
  const rows = providers.data ?? [];
  const error = providers.error ?? kinds.error;
  return (
    <>
      <div className="tool-line cluster gap-12 gap-y-8">
        <p className="muted tab-intro">
          This team's accounts with model providers. Keys are encrypted when they are saved: nobody can read
          them again, and only the agent worker can decrypt them.{" "}
          <Link className="link" href="/known-models">
            All known models
          </Link>
        </p>
        {kinds.data && (
          <button type="button" className="button primary" onClick={() => setEdited("new")}>
            <Icon name="plus" size={14} /> Add provider{" "}
          </button>
        )}
      </div>
      {providers.isPending && <Skeleton rows={4} label="Loading the providers" />}
      {error && rows.length === 0 && <Problem error={error} onRetry={providers.refetch} />}
      {providers.data && rows.length === 0 && (
        <p className="empty-tab muted">No providers yet. The team uses the models of this site.</p>
      )}
      {rows.length > 0 && (
        <ul className="ruled-top" aria-label="Providers">
          {rows.map((row) => (
            <ProviderRow
              key={row.id}
              provider={row}
              kinds={kinds.data ?? []}
              isSaved={row.id === savedId}
              onEdit={() => setEdited(row)}
              onFind={() => setChoosing(row)}
            />
          ))}
        </ul>
      )}
      <ModelChoices place={team.id} />
      <Dialog
        open={edited !== null}
        onClose={() => setEdited(null)}
        title={edited === "new" || edited === null ? "Add provider" : `Change ${edited.name}`}
        className="provider-dialog"
      >
        {kinds.data && edited !== null && (
          <ProviderForm
            teamId={team.id}
            kinds={kinds.data}
            provider={edited === "new" ? null : edited}
            kept={drafts.current.get(draftKey(edited))}
            onKeep={(draft) => keep(drafts.current, draftKey(edited), draft)}
            onDone={(saved) => {
              setEdited(null);
              if (saved && wantsModels(saved, kinds.data)) setChoosing(saved);
              else setSavedId(saved && canBeTested(saved, kinds.data) ? saved.id : "");
            }}
          />
        )}
      </Dialog>
      <Dialog
        open={choosing !== null}
        onClose={() => setChoosing(null)}
        title={choosing ? `Models of ${choosing.name}` : ""}
        className="provider-dialog"
      >
        {choosing && (
          <AddModels
            provider={rows.find(({ id }) => id === choosing.id) ?? choosing}
            kind={kinds.data?.find(({ name }) => name === choosing.kind)}
            onDone={() => setChoosing(null)}
          />
        )}
      </Dialog>
    </>
  );
}

/** Whether a provider that was saved without models can be asked for them. */
function wantsModels(saved: Provider, kinds: readonly ProviderKind[] | undefined): boolean {
  const kind = kinds?.find(({ name }) => name === saved.kind);
  return saved.models.length === 0 && Boolean(kind?.lists_models) && canBeTested(saved, kinds);
}

/** A provider that still needs a key or a sign-in would only fail. */
function canBeTested(saved: Provider, kinds: readonly ProviderKind[] | undefined): boolean {
  return saved.key !== null || !kinds?.find(({ name }) => name === saved.kind)?.needs_key;
}

/** A draft belongs to one version of a provider: after a change, it would undo what others have written. */
const draftKey = (edited: Provider | "new"): string =>
  edited === "new" ? "new" : `${edited.id} ${edited.version}`;

function keep(drafts: Map<string, Draft>, key: string, draft: Draft | undefined): void {
  if (draft) drafts.set(key, draft);
  else drafts.delete(key);
}

interface ProviderRowProps {
  provider: Provider;
  kinds: readonly ProviderKind[];
  /** Whether it was saved a moment ago, so that it is tested at once. */
  isSaved: boolean;
  onEdit: () => void;
  onFind: () => void;
}

function ProviderRow({ provider, kinds, isSaved, onEdit, onFind }: ProviderRowProps) {
  const kind = kinds.find((one) => one.name === provider.kind);
  const state = provider.enabled ? provider.state : "off";
  return (
    <li className="provider-row ruled" data-testid="provider-row" data-state={state}>
      <div className="provider-who stack gap-2 break-anywhere">
        <span className="cluster gap-y-2 medium">
          {provider.name}
          <span className="badge outlined">{kind?.title ?? provider.kind}</span>
          <span className={`provider-state inline gap-4 muted is-${state}`}>
            <Icon name={state === "failing" ? "warning" : state === "ok" ? "check" : "info"} size={12} />
            {STATE_LABELS[state]}
          </span>
        </span>
        <span className="muted">
          <code>{provider.slug}/…</code>, {plural(provider.models.length, "model")}. {keyText(provider)}
        </span>
        {provider.problem && (
          <p className="text-failed">
            {provider.problem.message} <span className="muted">{provider.problem.hint}</span>
          </p>
        )}
      </div>
      <ProviderActions
        provider={provider}
        isSaved={isSaved}
        signsIn={kind?.signs_in ?? false}
        signInProblem={kind?.sign_in_problem ?? ""}
        onEdit={onEdit}
        onFind={kind?.lists_models ? onFind : null}
      />
    </li>
  );
}
