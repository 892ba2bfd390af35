import { Icon } from "../ui/Icon";
import "./providers.css";

interface FallbackModelsProps {
  /** The models that may be used here. */
  offered: readonly string[];
  chosen: readonly string[];
  readOnly: boolean;
  onChange: (chosen: string[]) => void;
}

/** The models that continue a turn, in this order, after its model has failed for good. */
export function FallbackModels({ offered, chosen, readOnly, onChange }: FallbackModelsProps) {
  const others = offered.filter((id) => !chosen.includes(id));
  const moveUp = (index: number) => {
    const next = [...chosen];
    next.splice(index - 1, 2, chosen[index] ?? "", chosen[index - 1] ?? "");
    onChange(next);
  };
  return (
    <fieldset className="model-rows stack gap-8 full-width">
      <legend className="medium">Fallback models</legend>
      <p className="small muted">
        If a model fails for good, the turn continues with the first of these that works. The conversation
        says so, and budgets and permissions apply as before.
      </p>
      {chosen.length > 0 && (
        <ol className="fallback-list" aria-label="Fallback models">
          {chosen.map((id, index) => (
            <li key={id} className="line between gap-8">
              <span className="break-anywhere">{id}</span>
              {!readOnly && (
                <span className="line no-shrink">
                  <button
                    type="button"
                    className="button small"
                    aria-label={`Move ${id} up`}
                    disabled={index === 0}
                    onClick={() => moveUp(index)}
                  >
                    Up
                  </button>
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`Remove ${id} from the fallback models`}
                    onClick={() => onChange(chosen.filter((other) => other !== id))}
                  >
                    <Icon name="close" />
                  </button>
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      {!readOnly && others.length > 0 && (
        <select
          aria-label="Add a fallback model"
          value=""
          onChange={(event) => event.target.value && onChange([...chosen, event.target.value])}
        >
          <option value="">Add a fallback model</option>
          {others.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      )}
    </fieldset>
  );
}
