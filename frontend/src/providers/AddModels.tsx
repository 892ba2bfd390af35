import { changeProvider, type Provider, type ProviderKind, type ProviderModel } from "../api/providers";
import { FieldsProblem } from "../ui/FieldsProblem";
import { useAction } from "../ui/useAction";
import { asChange, draftOf } from "./draft";
import { FoundModels } from "./FoundModels";
import { fieldLabel } from "./labels";
import { refreshProviders } from "./queries";
import "./providers.css";

interface AddModelsProps {
  provider: Provider;
  kind: ProviderKind | undefined;
  onDone: () => void;
}

/** Finds the models of a saved provider, and saves the ones that people tick. */
export function AddModels({ provider, kind, onDone }: AddModelsProps) {
  const { run, busy, error } = useAction();
  if (!kind) return null;
  const add = async (models: ProviderModel[]) => {
    const isSaved = await run(async () => {
      const draft = { ...draftOf(provider, kind), models };
      await changeProvider(provider.id, asChange(draft, kind, provider.version));
      await refreshProviders();
    });
    if (isSaved) onDone();
  };
  return (
    <div className="provider-form stack gap-16">
      <p className="muted">
        The models that the provider lists, with what it says about them. Only those that you tick are added,
        and the models that you have stay as they are.
      </p>
      <FoundModels
        providerId={provider.id}
        models={provider.models}
        onAdd={(models) => void add(models)}
        startsNow
      />
      {error !== null && <FieldsProblem error={error} fieldLabel={fieldLabel} />}
      <div className="flow end">
        <button type="button" className="button" disabled={busy} onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
