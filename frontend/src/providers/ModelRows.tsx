import { useState } from "react";
import type { ProviderModel } from "../api/providers";
import { Icon } from "../ui/Icon";
import { withModels, withPrice } from "./draft";
import { FoundModels } from "./FoundModels";
import "./providers.css";

interface ModelRowsProps {
  models: readonly ProviderModel[];
  /** A saved provider that can list its models; null if names must be typed. */
  providerId: string | null;
  onChange: (models: ProviderModel[]) => void;
}

/** The models of a provider. What is empty uses the built-in table of models. */
export function ModelRows({ models, providerId, onChange }: ModelRowsProps) {
  const [names, setNames] = useState("");
  const add = () => {
    onChange(withModels(models, names));
    setNames("");
  };
  const change = (name: string, next: ProviderModel) =>
    onChange(models.map((model) => (model.name === name ? next : model)));
  const price = (model: ProviderModel, which: "input" | "output", label: string) => (
    <input
      inputMode="decimal"
      aria-label={`${label} of ${model.name}, dollars per million tokens`}
      placeholder="built-in"
      value={model.prices?.[which] ?? ""}
      onChange={(event) => change(model.name, withPrice(model, which, event.target.value))}
    />
  );
  const tokens = (model: ProviderModel, which: "context" | "max_output", label: string) => (
    <input
      inputMode="numeric"
      aria-label={`${label} of ${model.name} in tokens`}
      placeholder="built-in"
      value={model[which] || ""}
      onChange={(event) =>
        change(model.name, { ...model, [which]: Number(event.target.value.replace(/\D/g, "")) || 0 })
      }
    />
  );
  return (
    <fieldset className="model-rows stack">
      <legend className="medium">Models</legend>
      <div className="model-add flow">
        <input
          aria-label="Model names to add"
          placeholder="Model name"
          value={names}
          onChange={(event) => setNames(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <button type="button" className="button" disabled={!names.trim()} onClick={add}>
          Add
        </button>
      </div>
      {providerId && <FoundModels providerId={providerId} models={models} onAdd={onChange} />}
      {models.length > 0 && (
        <div className="table-scroller">
          <table className="plain-table full-width">
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col">In, $ per million</th>
                <th scope="col">Out, $ per million</th>
                <th scope="col">Context, tokens</th>
                <th scope="col">Longest output</th>
                <th scope="col">Reasoning effort</th>
                <th scope="col">Tools</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {models.map((model) => (
                <tr key={model.name}>
                  <th scope="row">{model.name}</th>
                  <td>{price(model, "input", "Price of input")}</td>
                  <td>{price(model, "output", "Price of output")}</td>
                  <td>{tokens(model, "context", "Context")}</td>
                  <td>{tokens(model, "max_output", "Longest output")}</td>
                  <td>
                    <EffortsField model={model} onChange={(next) => change(model.name, next)} />
                  </td>
                  <td>
                    <ToolsField model={model} onChange={(next) => change(model.name, next)} />
                  </td>
                  <td>
                    <button
                      type="button"
                      className="icon-button"
                      aria-label={`Remove ${model.name}`}
                      onClick={() => onChange(models.filter((other) => other.name !== model.name))}
                    >
                      <Icon name="close" />
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </fieldset>
  );
}

const USUAL: NonNullable<ProviderModel["efforts"]> = ["low", "medium", "high"];

interface ModelFieldProps {
  model: ProviderModel;
  onChange: (model: ProviderModel) => void;
}

/** Which reasoning efforts people may choose for a model. Other sets than the usual can be set over the API. */
function EffortsField({ model, onChange }: ModelFieldProps) {
  const saved = model.efforts ?? null;
  const value = saved === null ? "" : saved.join(", ") || "none";
  const choices = new Map<string, ProviderModel["efforts"]>([
    ["", null],
    ["none", []],
    [USUAL.join(", "), USUAL],
    [value, saved],
  ]);
  return (
    <select
      aria-label={`Reasoning efforts of ${model.name}`}
      value={value}
      onChange={(event) => onChange({ ...model, efforts: choices.get(event.target.value) ?? null })}
    >
      {[...choices.keys()].map((key) => (
        <option key={key} value={key}>
          {key === "" ? "built-in" : key}
        </option>
      ))}
    </select>
  );
}

const CALLS_TOOLS: Record<string, boolean | null> = { "": null, yes: true, no: false };

/** Whether the model can call tools. Agents cannot work with a model that cannot. */
function ToolsField({ model, onChange }: ModelFieldProps) {
  const value = Object.keys(CALLS_TOOLS).find((key) => CALLS_TOOLS[key] === (model.calls_tools ?? null));
  return (
    <select
      aria-label={`Whether ${model.name} calls tools`}
      value={value}
      onChange={(event) => onChange({ ...model, calls_tools: CALLS_TOOLS[event.target.value] ?? null })}
    >
      {Object.keys(CALLS_TOOLS).map((key) => (
        <option key={key} value={key}>
          {key || "built-in"}
        </option>
      ))}
    </select>
  );
}
