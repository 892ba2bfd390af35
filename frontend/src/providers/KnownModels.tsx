import { useId, useState } from "react";
import type { KnownModel, ProviderModel } from "../api/providers";
import { formatCount } from "../lib/format";
import { Chevron } from "../ui/Chevron";
import { withModels } from "./draft";
import { useKnownModels } from "./queries";
import "./providers.css";

const MAX_SHOWN = 50;

interface KnownModelsProps {
  kind: string;
  models: readonly ProviderModel[];
  onChange: (models: ProviderModel[]) => void;
}

/** The models that the site knows for a kind of provider, with context, prices and abilities, to choose from. */
export function KnownModels({ kind, models, onChange }: KnownModelsProps) {
  const [sought, setSought] = useState("");
  const known = useKnownModels(kind).data ?? [];
  const id = useId();
  if (known.length === 0) return null;
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = known.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  return (
    <details className="known-models">
      <summary className="line">
        <Chevron />
        <span className="medium">Choose from {known.length} known models</span>
      </summary>
      <div className="stack gap-8">
        <input
          type="search"
          aria-label="Search known models"
          placeholder="Search"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
        <ul aria-label="Known models" className="known-list ruled-top">
          {found.slice(0, MAX_SHOWN).map((model) => (
            <li key={model.name} className="line between gap-12">
              <span className="break-anywhere" id={`${id}${model.name}`}>
                {model.name} <span className="small muted">{factsInWords(model)}</span>
              </span>
              <button
                type="button"
                className="button small no-shrink"
                aria-describedby={`${id}${model.name}`}
                disabled={models.some(({ name }) => name === model.name)}
                onClick={() => onChange(withModels(models, model.name))}
              >
                Add
              </button>
            </li>
          ))}
        </ul>
        {found.length > MAX_SHOWN && (
          <p className="small muted">
            {MAX_SHOWN} of {found.length} are shown. Type more of the name.
          </p>
        )}
        {found.length === 0 && (
          <p className="small muted">No known model has this name. You can type any name below.</p>
        )}
      </div>
    </details>
  );
}

/** Returns such as "200k context · $3 in, $15 out per million tokens · images, reasoning". */
function factsInWords(model: KnownModel): string {
  const price =
    model.input_price === null
      ? "price unknown"
      : `$${model.input_price} in, $${model.output_price} out per million tokens`;
  const abilities = [
    model.sees_images && "images",
    model.sees_pdf && "PDF",
    model.reasons && "reasoning",
  ].filter(Boolean);
  return [model.context && `${formatCount(model.context)} context`, price, abilities.join(", ")]
    .filter(Boolean)
    .join(" · ");
}
