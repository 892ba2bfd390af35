import { useState } from "react";
import { chooseModels, type ModelMenu, type OfferedModel } from "../api/providers";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { FallbackModels } from "./FallbackModels";
import { contextText, fieldLabel, priceText, toolsText } from "./labels";
import { refreshModels, useModels } from "./queries";
import "./providers.css";

/** The models of a team or project: the default, the small model, and blocked models. */
export function ModelChoices({ place }: { place: string }) {
  const models = useModels(place);
  return (
    <section
      className="settings-section stack items-start ruled-top model-choices"
      aria-label="Which models are used"
    >
      <h2>Models</h2>
      {models.isPending && <Skeleton rows={4} label="Loading the models" />}
      {models.error && !models.data && <Problem error={models.error} onRetry={models.refetch} />}
      {models.data && <Choices key={models.data.own.version} place={place} menu={models.data} />}
    </section>
  );
}

function Choices({ place, menu }: { place: string; menu: ModelMenu }) {
  const { version, ...own } = menu.own;
  const [choice, setChoice] = useState({
    default_model: own.default_model ?? "",
    small_model: own.small_model ?? "",
    blocked: own.blocked ?? [],
    only: own.only ?? [],
    fallbacks: own.fallbacks ?? [],
  });
  const { run, busy, error } = useAction();
  const readOnly = !menu.can_edit;
  const save = () =>
    void run(async () => {
      await chooseModels(place, { ...choice, base_version: version });
      await refreshModels();
    });
  const block = (id: string, blocked: boolean) =>
    setChoice({
      ...choice,
      blocked: blocked ? [...choice.blocked, id] : choice.blocked.filter((other) => other !== id),
    });
  const usable = menu.items.filter((model) => !model.refusal || choice.blocked.includes(model.id));
  const pick = (label: string, field: "default_model" | "small_model", inherited: string) => (
    <label className="field">
      <span>{label}</span>
      <select
        disabled={readOnly}
        value={choice[field]}
        onChange={(event) => setChoice({ ...choice, [field]: event.target.value })}
      >
        <option value="">{inherited}</option>
        {usable
          .filter((model) => !choice.blocked.includes(model.id))
          .map((model) => (
            <option key={model.id} value={model.id}>
              {model.id}
            </option>
          ))}
      </select>
    </label>
  );
  const above = place.startsWith("tea_") ? "Same as the site" : "Same as the team";
  return (
    <>
      <div className="provider-names full-width">
        {pick("Default model", "default_model", own.default_model ? above : `${above} (${menu.default})`)}
        {pick("Small model, for titles", "small_model", own.small_model ? above : `${above} (${menu.small})`)}
      </div>
      <FallbackModels
        offered={usable.map(({ id }) => id).filter((id) => !choice.blocked.includes(id))}
        chosen={choice.fallbacks}
        readOnly={readOnly}
        onChange={(fallbacks) => setChoice({ ...choice, fallbacks })}
      />
      <ModelTable models={menu.items} blocked={choice.blocked} onBlock={readOnly ? null : block} />
      {error !== null && <FieldsProblem error={error} fieldLabel={fieldLabel} />}
      {!readOnly && (
        <button type="button" className="button primary" disabled={busy} onClick={save}>
          Save models
        </button>
      )}
      {readOnly && <p className="muted">Only admins of the team can change this.</p>}
    </>
  );
}

interface ModelTableProps {
  models: readonly OfferedModel[];
  blocked: readonly string[];
  onBlock: ((id: string, blocked: boolean) => void) | null;
}

function ModelTable({ models, blocked, onBlock }: ModelTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="table-scroller" aria-label="Table of models" tabIndex={0}>
      <table className="plain-table full-width">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Provider</th>
            <th scope="col">Price per million tokens</th>
            <th scope="col">Context</th>
            <th scope="col">Tools</th>
            <th scope="col">Blocked</th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr key={model.id} data-testid="model-row">
              <th scope="row">{model.id}</th>
              <td>{model.provider_name}</td>
              <td className="number">{priceText(model)}</td>
              <td className="number">{contextText(model)}</td>
              <td>{toolsText(model)}</td>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Block ${model.id}`}
                  checked={blocked.includes(model.id)}
                  disabled={!onBlock}
                  onChange={(event) => onBlock?.(model.id, event.target.checked)}
                />
                {model.refusal && !blocked.includes(model.id) && (
                  <span className="muted"> {model.refusal}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
