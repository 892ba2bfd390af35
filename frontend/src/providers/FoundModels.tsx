import { useEffect, useId, useState } from "react";
import { type FoundModels as Found, type FoundModel, findModels, type ProviderModel } from "../api/providers";
import { formatCount, plural } from "../lib/format";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import "./providers.css";

const SEARCH_FROM = 12;

interface FoundModelsProps {
  providerId: string;
  models: readonly ProviderModel[];
  onAdd: (models: ProviderModel[]) => void;
  /** Whether the provider is asked at once, without a click. */
  startsNow?: boolean;
}

/** Asks a saved provider which models it has, and offers them to tick. */
export function FoundModels({ providerId, models, onAdd, startsNow = false }: FoundModelsProps) {
  const [found, setFound] = useState<Found | null>(null);
  const { run, busy, error } = useAction();
  const find = () => run(async () => setFound(await findModels(providerId)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened
  useEffect(() => {
    if (startsNow) void find();
  }, []);
  return (
    <div className="stack gap-8 items-start full-width">
      <button type="button" className="button" disabled={busy} onClick={() => void find()}>
        {busy ? "Asking the provider" : found ? "Ask again" : "Find models"}
      </button>
      <div role="status" className="stack gap-8 full-width">
        {found?.problem && (
          <p className="text-failed break-anywhere">
            {found.problem.message} <span className="muted">{found.problem.hint}</span>
          </p>
        )}
        {found && !found.problem && found.items.length === 0 && (
          <p className="muted">The provider answers, and has no models for conversations.</p>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      {found && found.items.length > 0 && (
        <Choices key={models.length} found={found} models={models} onAdd={onAdd} />
      )}
    </div>
  );
}

interface ChoicesProps {
  found: Found;
  models: readonly ProviderModel[];
  onAdd: (models: ProviderModel[]) => void;
}

function Choices({ found, models, onAdd }: ChoicesProps) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [sought, setSought] = useState("");
  const listed = new Set(models.map(({ name }) => name));
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = found.items.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const open = shown.filter(({ name }) => !listed.has(name));
  const tick = (names: readonly string[], on: boolean) => {
    const next = new Set(ticked);
    for (const name of names) on ? next.add(name) : next.delete(name);
    setTicked(next);
  };
  const chosen = found.items.filter(({ name }) => ticked.has(name) && !listed.has(name));
  const areAllTicked = open.length > 0 && open.every(({ name }) => ticked.has(name));
  return (
    <fieldset className="model-rows stack gap-8 full-width">
      <legend className="medium">{plural(found.items.length, "model")} found</legend>
      {found.items.length >= SEARCH_FROM && (
        <input
          type="search"
          aria-label="Search found models"
          placeholder="Search"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      )}
      <ul aria-label="Found models" className="known-list ruled-top">
        {shown.map((model) => (
          <FoundRow
            key={model.name}
            model={model}
            isListed={listed.has(model.name)}
            isTicked={ticked.has(model.name)}
            onTick={(on) => tick([model.name], on)}
          />
        ))}
      </ul>
      {found.others > 0 && (
        <p className="small muted">
          {plural(found.others, "other model")} left out: for other work than conversations, or after the
          first 500.
        </p>
      )}
      <div className="flow">
        <button
          type="button"
          className="button primary"
          disabled={chosen.length === 0}
          onClick={() => onAdd([...models, ...chosen.map(({ entry }) => entry)])}
        >
          {chosen.length === 0 ? "Tick models to add" : `Add ${plural(chosen.length, "model")}`}
        </button>
        {open.length > 1 && (
          <button
            type="button"
            className="button"
            onClick={() =>
              tick(
                open.map(({ name }) => name),
                !areAllTicked,
              )
            }
          >
            {areAllTicked ? "Untick all" : "Tick all"}
          </button>
        )}
      </div>
    </fieldset>
  );
}

interface FoundRowProps {
  model: FoundModel;
  isListed: boolean;
  isTicked: boolean;
  onTick: (on: boolean) => void;
}

function FoundRow({ model, isListed, isTicked, onTick }: FoundRowProps) {
  const id = useId();
  return (
    <li>
      <label className="line gap-8 text-normal">
        <input
          type="checkbox"
          className="no-shrink"
          checked={isListed || isTicked}
          disabled={isListed}
          aria-describedby={id}
          onChange={(event) => onTick(event.target.checked)}
        />
        <span className="break-anywhere">{model.name}</span>
      </label>
      <span id={id} className="found-facts small muted break-anywhere">
        {foundInWords(model, isListed)}
        {model.calls_tools === false && <strong> Cannot call tools: not for agents.</strong>}
      </span>
    </li>
  );
}

/** Returns such as "41k context · 8k longest output · tools, images · already added". */
export function foundInWords(model: FoundModel, isListed: boolean): string {
  const abilities = [
    model.calls_tools === true && "tools",
    model.sees_images && "images",
    model.sees_pdf && "PDF",
    model.reasons && "reasoning",
  ].filter(Boolean);
  const facts = [
    model.context ? `${formatCount(model.context)} context` : "context unknown",
    model.max_output && `${formatCount(model.max_output)} longest output`,
    abilities.join(", "),
    model.calls_tools === null && "tools unknown",
    isListed && "already added",
  ];
  return facts.filter(Boolean).join(" · ");
}
