import { type FormEvent, useState } from "react";
import type { NewToken, Scope } from "../api/tokens";
import { useProjects } from "../app/queries";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { OptionList } from "../ui/OptionList";
import { useAction } from "../ui/useAction";
import { DEFAULT_SCOPES, expiryAfter, LIFETIMES, SCOPE_LABELS, SCOPES } from "./scopes";

interface TokenFormProps {
  teams: readonly { id: string; name: string }[];
  /** The team of a service account, to whose projects the token can be restricted. */
  onlyTeam?: string;
  onCreate: (token: NewToken) => Promise<void>;
}

/** Form for a new API token: name, restriction, expiry and scopes. */
export function TokenForm({ teams, onlyTeam, onCreate }: TokenFormProps) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(DEFAULT_SCOPES);
  const [place, setPlace] = useState("");
  const [days, setDays] = useState(90);
  const { run, busy, error } = useAction();
  const toggle = (scope: Scope) =>
    setScopes(SCOPES.filter((one) => (one === scope ? !scopes.includes(one) : scopes.includes(one))));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await onCreate({
        name: name.trim(),
        scopes: [...scopes],
        team_id: place.startsWith("tea_") ? place : null,
        project_id: place.startsWith("prj_") ? place : null,
        expires_at: expiryAfter(days),
      });
      setName("");
    });
  };
  return (
    <form className="token-form ruled" onSubmit={submit} aria-label="New token">
      <label className="field">
        <span>Name</span>
        <input
          required
          maxLength={120}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <RestrictionField teams={teams} onlyTeam={onlyTeam} place={place} onChange={setPlace} />
      <label className="field">
        <span>Expires after</span>
        <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
          <OptionList of={LIFETIMES.map((one) => [one.days, one.label])} />
        </select>
      </label>
      <fieldset className="token-scopes full-row stack gap-6">
        <legend>Scopes</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            <span>{SCOPE_LABELS[scope]}</span>
            <code className="small muted">{scope}</code>
          </label>
        ))}
      </fieldset>
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button primary" disabled={busy || scopes.length === 0}>
        <Icon name="plus" size={14} /> Create token
      </button>
    </form>
  );
}

interface RestrictionFieldProps {
  teams: readonly { id: string; name: string }[];
  onlyTeam: string | undefined;
  place: string;
  onChange: (place: string) => void;
}

function RestrictionField({ teams, onlyTeam, place, onChange }: RestrictionFieldProps) {
  const projects = useProjects().data?.items ?? [];
  const shown = onlyTeam ? projects.filter((project) => project.team_id === onlyTeam) : projects;
  return (
    <label className="field">
      <span>Restricted to</span>
      <select value={place} onChange={(event) => onChange(event.target.value)}>
        <option value="">{onlyTeam ? "All projects of the team" : "Everything I can access"}</option>
        {!onlyTeam &&
          teams.map((team) => (
            <option key={team.id} value={team.id}>
              Team {team.name}
            </option>
          ))}
        <OptionList of={shown.map((project) => [project.id, `Project ${project.name}`])} />
      </select>
    </label>
  );
}
