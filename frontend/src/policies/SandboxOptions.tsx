import { useId } from "react";
import type { Options, Policy, SandboxOptions as Sandbox } from "../api/policyTypes";
import { LIMITS, type LimitKind } from "../workspaces/limits";
import type { PlaceKind } from "./document";
import { ImagesField } from "./ImagesField";
import { type Place, placeTitle } from "./places";
import { usePolicy } from "./queries";
import {
  limitOf,
  limitProblem,
  NETWORK_MODES,
  NETWORK_STAGES,
  type NetworkStage,
  networkRank,
  strictest,
} from "./sandbox";
import "./tabs.css";

interface SandboxOptionsProps {
  sandbox: Sandbox | undefined;
  kind: PlaceKind;
  /** The places above this one, from the site down. */
  above: readonly Place[];
  onChange: (sandbox: Options["sandbox"]) => void;
}

/** Limits of workspaces. An empty field sets no limit. A place can only be stricter than those above it. */
export function SandboxOptions({ sandbox, kind, above, onChange }: SandboxOptionsProps) {
  const site = usePolicy("site").data;
  const second = above[1]?.place;
  const team = usePolicy(second ?? "site").data;
  const policies = above.length === 0 ? [] : second ? [site, team] : [site];
  // Members that this page does not know are kept.
  const set = (name: string, value: number | string | boolean | string[] | null) =>
    onChange({ ...sandbox, [name]: value } as Options["sandbox"]);
  return (
    <section className="sandbox-options" aria-label="Sandbox">
      <h2>Sandbox</h2>
      <p className="muted">
        Limits of workspaces. The smallest number of the site, the team and the project applies; empty fields
        set no limit. Running workspaces get new limits at their next start.
      </p>
      {LIMITS.filter((limit) => kind !== "project" || !limit.aboveProjects).map((limit) => (
        <LimitField
          key={limit.name}
          limit={limit}
          value={limitOf(sandbox, limit.name)}
          inherited={inheritedText(limit, policies, above)}
          onChange={(value) => set(limit.name, value)}
        />
      ))}
      <RuntimeField
        value={sandbox?.runtime ?? null}
        inherited={inheritedRuntime(policies, above)}
        onChange={(value) => set("runtime", value)}
      />
      {NETWORK_STAGES.map((stage) => (
        <NetworkField
          key={stage.name}
          stage={stage}
          value={sandbox?.[stage.name] ?? null}
          inherited={inheritedNetwork(stage.name, policies, above)}
          onChange={(value) => set(stage.name, value)}
        />
      ))}
      {SWITCHES.map((each) => (
        <SwitchField
          key={each.name}
          kind={each}
          value={sandbox?.[each.name] ?? null}
          inherited={inheritedSwitch(each.name, policies, above)}
          onChange={(value) => set(each.name, value)}
        />
      ))}
      <ImagesField
        value={sandbox?.images ?? null}
        inherited={inheritedImages(policies, above)}
        onChange={(value) => set("images", value)}
      />
    </section>
  );
}

type InheritedPolicies = readonly (Policy | undefined)[];

/** The strictest inherited limit, such as "Policy of the site: 2 GiB"; empty if there is none. */
function inheritedText(
  { name, format }: LimitKind,
  policies: InheritedPolicies,
  places: readonly Place[],
): string {
  const found = strictest(policies.map((policy) => limitOf(policy?.options.sandbox, name)));
  const place = found && places[found.at];
  return place ? `${placeTitle(place)}: ${format(found.value)}` : "";
}

function inheritedRuntime(policies: InheritedPolicies, places: readonly Place[]): string {
  const at = policies.findIndex((policy) => policy?.options.sandbox?.runtime);
  const place = places[at];
  return place ? `${placeTitle(place)}: ${policies[at]?.options.sandbox.runtime}` : "";
}

function inheritedNetwork(
  name: NetworkStage["name"],
  policies: InheritedPolicies,
  places: readonly Place[],
): string {
  const found = strictest(policies.map((policy) => networkRank(policy?.options.sandbox?.[name])));
  const place = found && places[found.at];
  const mode = found && NETWORK_MODES[found.value];
  return place && mode ? `${placeTitle(place)}: ${mode.label}` : "";
}

const UNLESS_FORBIDDEN = "It is allowed unless a policy forbids it.";
const ONE_ALLOWS = "One policy has to allow it, and none may forbid it.";
const SWITCHES = [
  {
    name: "secrets_in_commands",
    label: "Secrets in commands",
    hint: "Whether secret variables may be given to commands of agents.",
    rule: ONE_ALLOWS,
  },
  {
    name: "terminals",
    label: "Terminals",
    hint: "Whether people who may decide permission requests may open terminals. Rules and limits of policies do not apply to what they run there.",
    rule: ONE_ALLOWS,
  },
  {
    name: "previews",
    label: "Previews",
    hint: "Whether members may open pages that programs of a workspace serve. Nobody is asked about what these programs do on request.",
    rule: UNLESS_FORBIDDEN,
  },
] as const;
type Switch = (typeof SWITCHES)[number];

/** What the policies above say about a switch: a no counts before a yes. */
function inheritedSwitch(
  name: Switch["name"],
  policies: InheritedPolicies,
  places: readonly Place[],
): string {
  const said = policies.map((policy) => policy?.options.sandbox?.[name] ?? null);
  const at = said.includes(false) ? said.indexOf(false) : said.indexOf(true);
  const place = places[at];
  return place ? `${placeTitle(place)}: ${said[at] ? "Allowed" : "Forbidden"}` : "";
}

interface SwitchFieldProps {
  kind: Switch;
  value: boolean | null;
  inherited: string;
  onChange: (value: boolean | null) => void;
}

function SwitchField({ kind, value, inherited, onChange }: SwitchFieldProps) {
  const id = useId();
  return (
    <div className="option-line ruled" data-limit={kind.name}>
      <label htmlFor={id}>{kind.label}</label>
      <div className="limit-field stack gap-2">
        <select
          id={id}
          value={value === null ? "" : String(value)}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.target.value ? event.target.value === "true" : null)}
        >
          <option value="">Not set</option>
          <option value="true">Allowed</option>
          <option value="false">Forbidden</option>
        </select>
        <p id={`${id}-hint`} className="small muted">
          {kind.hint} {kind.rule}
          {inherited && ` ${inherited}.`}
        </p>
      </div>
    </div>
  );
}

/** Returns the inherited lists, such as "Policy of the site: default, java"; empty if there are none. */
function inheritedImages(policies: InheritedPolicies, places: readonly Place[]): string {
  const found = policies.flatMap((policy, at) => {
    const names = policy?.options.sandbox?.images;
    const place = places[at];
    return names && place ? [`${placeTitle(place)}: ${names.join(", ") || "none"}`] : [];
  });
  return found.join(". ");
}

interface LimitFieldProps {
  limit: LimitKind;
  value: number | null;
  inherited: string;
  onChange: (value: number | null) => void;
}

function LimitField({ limit, value, inherited, onChange }: LimitFieldProps) {
  const id = useId();
  const problem = limitProblem(limit, value);
  const hint = problem || inherited;
  return (
    <div className="option-line ruled" data-limit={limit.name}>
      <label htmlFor={id}>
        {limit.label}
        {limit.unit && <span className="muted"> in {limit.unit}</span>}
      </label>
      <div className="limit-field stack gap-2">
        <input
          id={id}
          type="number"
          min={limit.min}
          max={limit.max}
          step={limit.name === "cpus" ? "any" : 1}
          placeholder="Not set"
          value={value ?? ""}
          aria-invalid={problem !== ""}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => onChange(numberOf(event.target.value))}
        />
        {hint && (
          <p id={`${id}-hint`} className={problem ? "small text-failed" : "small muted"}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** Parses a number; null if it is empty or not a number. */
function numberOf(text: string): number | null {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? value : null;
}

interface RuntimeFieldProps {
  value: string | null;
  inherited: string;
  onChange: (value: string | null) => void;
}

function RuntimeField({ value, inherited, onChange }: RuntimeFieldProps) {
  const id = useId();
  return (
    <div className="option-line ruled" data-limit="runtime">
      <label htmlFor={id}>Container runtime</label>
      <div className="limit-field stack gap-2">
        <input
          id={id}
          maxLength={64}
          spellCheck={false}
          placeholder="Not set"
          value={value ?? ""}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.target.value.trim() || null)}
        />
        <p id={`${id}-hint`} className="small muted">
          {inherited ||
            "A runtime of the nodes, such as runc or runsc. The site's setting takes precedence over the team's and the project's."}
        </p>
      </div>
    </div>
  );
}

interface NetworkFieldProps {
  stage: NetworkStage;
  value: Sandbox["network"];
  inherited: string;
  onChange: (value: string | null) => void;
}

function NetworkField({ stage, value, inherited, onChange }: NetworkFieldProps) {
  const id = useId();
  const chosen = NETWORK_MODES.find((mode) => mode.name === value);
  return (
    <div className="option-line ruled" data-limit={stage.name}>
      <label htmlFor={id}>{stage.label}</label>
      <div className="limit-field stack gap-2">
        <select
          id={id}
          value={value ?? ""}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.target.value || null)}
        >
          <option value="">Not set</option>
          {NETWORK_MODES.map((mode) => (
            <option key={mode.name} value={mode.name}>
              {mode.label}
            </option>
          ))}
        </select>
        <p id={`${id}-hint`} className="small muted">
          {chosen?.meaning ?? stage.meaning}
          {inherited && ` ${inherited}.`}
        </p>
      </div>
    </div>
  );
}
