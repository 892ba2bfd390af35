import type { Provider } from "../api/providers";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { TextField } from "../ui/TextField";
import type { Draft } from "./draft";
import "./providers.css";

interface ConnectionFieldsProps {
  draft: Draft;
  /** Null for a new provider. */
  provider: Provider | null;
  onChange: (change: Partial<Draft>) => void;
}

/** Extra headers, timeout and retries of a provider's model calls. */
export function ConnectionFields({ draft, provider, onChange }: ConnectionFieldsProps) {
  const number = (text: string): number | null => (text.trim() === "" ? null : Number(text));
  return (
    <details className="known-models">
      <summary className="line">
        <Chevron />
        <span className="medium">Headers, timeout and retries</span>
      </summary>
      <div className="stack gap-12">
        <HeaderRows
          headers={draft.headers}
          saved={provider?.header_names ?? []}
          onChange={(headers) => onChange({ headers })}
        />
        <div className="provider-names full-width">
          <TextField
            label="Longest silence, seconds"
            hint="5 to 3,600. Empty: 300, because some models think for minutes."
            type="number"
            min={5}
            max={3600}
            value={draft.timeout_seconds ?? ""}
            onText={(text) => onChange({ timeout_seconds: number(text) })}
          />
          <TextField
            label="Retries"
            hint="0 to 5, if the provider is busy or away. Empty: 5."
            type="number"
            min={0}
            max={5}
            value={draft.retries ?? ""}
            onText={(text) => onChange({ retries: number(text) })}
          />
        </div>
      </div>
    </details>
  );
}

interface HeaderRowsProps {
  headers: Draft["headers"];
  saved: readonly string[];
  onChange: (headers: Draft["headers"]) => void;
}

function HeaderRows({ headers, saved, onChange }: HeaderRowsProps) {
  if (headers === null) {
    return (
      <div className="stack gap-4 items-start">
        <p className="muted break-anywhere">
          Saved headers: {saved.join(", ")}. Their values are encrypted and cannot be shown.
        </p>
        <button
          type="button"
          className="button small"
          onClick={() => onChange(saved.map((name) => [name, ""]))}
        >
          Replace the headers
        </button>
      </div>
    );
  }
  const change = (at: number, row: [string, string]) =>
    onChange(headers.map((other, index) => (index === at ? row : other)));
  return (
    <fieldset className="model-rows stack gap-8 items-start">
      <legend className="medium">Extra headers</legend>
      {headers.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its place
        <div key={index} className="header-row full-width">
          <input
            aria-label={`Name of header ${index + 1}`}
            placeholder="X-Account"
            maxLength={64}
            value={name}
            onChange={(event) => change(index, [event.target.value, value])}
          />
          <input
            aria-label={`Value of header ${index + 1}`}
            type="password"
            autoComplete="off"
            placeholder="Value"
            maxLength={2000}
            value={value}
            onChange={(event) => change(index, [name, event.target.value])}
          />
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove header ${name || index + 1}`}
            onClick={() => onChange(headers.filter((_, at) => at !== index))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div className="flow">
        <button type="button" className="button small" onClick={() => onChange([...headers, ["", ""]])}>
          Add a header
        </button>
        {saved.length > 0 && (
          <button type="button" className="button small" onClick={() => onChange(null)}>
            Keep the saved headers
          </button>
        )}
      </div>
    </fieldset>
  );
}
