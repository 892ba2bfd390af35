import { useId } from "react";
import { TextField } from "../ui/TextField";
import { PLACES, USES, type VariableFields } from "./variableFields";

interface SecretUseProps {
  fields: VariableFields;
  /** The stored fields; those of a new variable have no name. */
  before: VariableFields;
  onChange: (change: Partial<VariableFields>) => void;
}

/** Fields of a form: who gets a secret, and for which hosts it is. */
export function SecretUse({ fields, before, onChange }: SecretUseProps) {
  const id = useId();
  const offered = before.name ? USES.filter(({ name }) => isSameSide(name, before.usedFor)) : USES;
  const chosen = USES.find(({ name }) => name === fields.usedFor);
  return (
    <>
      <div className="field full-row">
        <label htmlFor={`${id}-use`}>Who gets it</label>
        <select
          id={`${id}-use`}
          value={fields.usedFor}
          aria-describedby={`${id}-meaning`}
          onChange={(event) => {
            const use = USES.find(({ name }) => name === event.target.value);
            if (use) onChange({ usedFor: use.name });
          }}
        >
          {offered.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <p id={`${id}-meaning`} className="small muted">
          {chosen?.meaning}
        </p>
      </div>
      {fields.usedFor === "requests" && <RequestPlace fields={fields} onChange={onChange} />}
    </>
  );
}

/** A secret that is added to requests is encrypted for another process than the other ones. */
const isSameSide = (one: VariableFields["usedFor"], other: VariableFields["usedFor"]) =>
  (one === "requests") === (other === "requests");

function RequestPlace({ fields, onChange }: Pick<SecretUseProps, "fields" | "onChange">) {
  const id = useId();
  const place = PLACES.find(({ name }) => name === fields.addedAs);
  return (
    <>
      <div className="field full-row">
        <label htmlFor={`${id}-hosts`}>Hosts, one a line</label>
        <textarea
          id={`${id}-hosts`}
          rows={2}
          required
          spellCheck={false}
          autoComplete="off"
          placeholder="api.example.com"
          value={fields.hosts}
          onChange={(event) => onChange({ hosts: event.target.value })}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-place`}>Added as</label>
        <select
          id={`${id}-place`}
          value={fields.addedAs}
          onChange={(event) => {
            const found = PLACES.find(({ name }) => name === event.target.value);
            if (found) onChange({ addedAs: found.name });
          }}
        >
          {PLACES.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {place?.field && (
        <TextField
          label={place.field}
          required
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          placeholder={place.name === "header" ? "X-Api-Key" : "key"}
          value={fields.addedName}
          onText={(text) => onChange({ addedName: text })}
        />
      )}
    </>
  );
}
