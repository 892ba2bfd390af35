import { useId, useState } from "react";
import { type ProviderModel, testProvider } from "../api/providers";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { withModels, withPrice } from "./draft";

interface ModelRowsProps {
  models: readonly ProviderModel[];
  /** A saved provider that lists its models itself; null: names are typed. */
  providerId: string | null;
  onChange: (models: ProviderModel[]) => void;
}

/** The models of a provider; prices and sizes that nobody says are those of the table of models. */
export function ModelRows({ models, providerId, onChange }: ModelRowsProps) {
  const [names, setNames] = useState("");
  const [listed, setListed] = useState<readonly string[]>([]);
  const { run, busy, error } = useAction();
  const id = useId();
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
      placeholder="table"
      value={model.prices?.[which] ?? ""}
      onChange={(event) => change(model.name, withPrice(model, which, event.target.value))}
    />
  );
  return (
    <fieldset className="model-rows">
      <legend>Models</legend>
      <div className="model-add">
        <input
          aria-label="Names of models to add"
          placeholder="Name of a model"
          list={id}
          value={names}
          onChange={(event) => setNames(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <datalist id={id}>
          {listed.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="button" className="button" disabled={!names.trim()} onClick={add}>
          Add
        </button>
        {providerId && (
          <button
            type="button"
            className="button"
            disabled={busy}
            onClick={() => void run(async () => setListed((await testProvider(providerId)).models))}
          >
            {busy ? "Asking" : "Ask the provider"}
          </button>
        )}
      </div>
      {listed.length > 0 && (
        <p className="muted">The provider lists {listed.length} models. Type to find one of them.</p>
      )}
      {error !== null && <Problem error={error} />}
      {models.length > 0 && (
        <div className="table-scroller">
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col">In, $ per million</th>
                <th scope="col">Out, $ per million</th>
                <th scope="col">Fits, tokens</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {models.map((model) => (
                <tr key={model.name}>
                  <th scope="row">{model.name}</th>
                  <td>{price(model, "input", "Price of input")}</td>
                  <td>{price(model, "output", "Price of output")}</td>
                  <td>
                    <input
                      inputMode="numeric"
                      aria-label={`Tokens that fit into ${model.name}`}
                      placeholder="table"
                      value={model.context || ""}
                      onChange={(event) =>
                        change(model.name, {
                          ...model,
                          context: Number(event.target.value.replace(/\D/g, "")) || 0,
                        })
                      }
                    />
                  </td>
                  <td>
                    <button
                      type="button"
                      className="icon-button"
                      aria-label={`Leave out ${model.name}`}
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
