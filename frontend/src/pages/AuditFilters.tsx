import type { ChangeEvent } from "react";
import type { AuditWish } from "../api/policies";
import { Icon } from "../ui/Icon";

export const EVERYTHING: AuditWish = {
  action: "",
  actor: "",
  subject: "",
  project: "",
  text: "",
  since: "",
  until: "",
};

const ABOUT: readonly (readonly [string, string])[] = [
  ["agent", "Agents"],
  ["audit", "Audit log"],
  ["budget", "Budgets"],
  ["call", "Decided tool calls"],
  ["grant", "Grants"],
  ["invitation", "Invitations"],
  ["member", "Members"],
  ["models", "Models"],
  ["operator", "Operator access"],
  ["policy", "Policies"],
  ["project", "Projects"],
  ["provider", "Providers"],
  ["request", "Permission requests"],
  ["service_account", "Service accounts"],
  ["session", "Sessions"],
  ["share_link", "Share links"],
  ["team", "Team"],
  ["token", "API tokens"],
  ["webhook", "Webhooks"],
  ["workspace", "Workspaces"],
];

export interface Choice {
  id: string;
  name: string;
}

interface AuditFiltersProps {
  wish: AuditWish;
  people: readonly Choice[];
  projects: readonly Choice[];
  onChange: (change: Partial<AuditWish>) => void;
}

export function AuditFilters({ wish, people, projects, onChange }: AuditFiltersProps) {
  const field = (name: keyof AuditWish) => ({
    value: wish[name],
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      onChange({ [name]: event.target.value }),
  });
  const isNarrowed = Object.values(wish).some(Boolean);
  return (
    <search className="tool-line audit-filters" aria-label="Filter the audit log">
      <Choose label="Action" all="All actions" {...field("action")}>
        {withChosen(
          wish.action,
          ABOUT.map(([id, name]) => ({ id, name })),
        )}
      </Choose>
      <Choose label="Person" all="Everyone" {...field("actor")}>
        {withChosen(wish.actor, [...people, { id: "site", name: "The site" }])}
      </Choose>
      <Choose label="Project" all="All projects" {...field("project")}>
        {withChosen(wish.project, projects)}
      </Choose>
      <label className="audit-filter">
        <span>About</span>
        <input placeholder="ID" spellCheck={false} maxLength={64} {...field("subject")} />
      </label>
      <label className="audit-filter">
        <span>Text</span>
        <input type="search" placeholder="Search text" maxLength={200} {...field("text")} />
      </label>
      <label className="audit-filter">
        <span>First day</span>
        <input type="date" {...field("since")} />
      </label>
      <label className="audit-filter">
        <span>Last day</span>
        <input type="date" {...field("until")} />
      </label>
      {isNarrowed && (
        <button type="button" className="button" onClick={() => onChange(EVERYTHING)}>
          <Icon name="close" size={14} /> Clear filters
        </button>
      )}
    </search>
  );
}

interface ChooseProps {
  label: string;
  all: string;
  value: string;
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void;
  children: readonly Choice[];
}

function Choose({ label, all, value, onChange, children }: ChooseProps) {
  return (
    <label className="audit-filter">
      <span>{label}</span>
      <select value={value} onChange={onChange}>
        <option value="">{all}</option>
        {children.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * Adds the chosen value to the choices if it is missing: former members and deleted projects are not listed.
 */
const withChosen = (chosen: string, choices: readonly Choice[]): readonly Choice[] =>
  !chosen || choices.some(({ id }) => id === chosen) ? choices : [...choices, { id: chosen, name: chosen }];
