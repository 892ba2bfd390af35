import type { ChangeEvent } from "react";
import type { AuditFilter } from "../api/policies";
import { Icon } from "../ui/Icon";
import "./audit.css";

export const NO_FILTER: AuditFilter = {
  action: "",
  actor: "",
  subject: "",
  project: "",
  text: "",
  since: "",
  until: "",
};

const SUBJECT_LABELS: readonly (readonly [string, string])[] = [
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
  filter: AuditFilter;
  people: readonly Choice[];
  projects: readonly Choice[];
  onChange: (change: Partial<AuditFilter>) => void;
}

export function AuditFilters({ filter, people, projects, onChange }: AuditFiltersProps) {
  const field = (name: keyof AuditFilter) => ({
    value: filter[name],
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      onChange({ [name]: event.target.value }),
  });
  const isNarrowed = Object.values(filter).some(Boolean);
  return (
    <search className="tool-line cluster gap-12 gap-y-8 audit-filters" aria-label="Filter the audit log">
      <FilterSelect label="Action" all="All actions" {...field("action")}>
        {withChosen(
          filter.action,
          SUBJECT_LABELS.map(([id, name]) => ({ id, name })),
        )}
      </FilterSelect>
      <FilterSelect label="Person" all="Everyone" {...field("actor")}>
        {withChosen(filter.actor, [...people, { id: "site", name: "The site" }])}
      </FilterSelect>
      <FilterSelect label="Project" all="All projects" {...field("project")}>
        {withChosen(filter.project, projects)}
      </FilterSelect>
      <label className="audit-filter stack gap-2">
        <span>About</span>
        <input placeholder="ID" spellCheck={false} maxLength={64} {...field("subject")} />
      </label>
      <label className="audit-filter stack gap-2">
        <span>Text</span>
        <input type="search" placeholder="Search text" maxLength={200} {...field("text")} />
      </label>
      <label className="audit-filter stack gap-2">
        <span>First day</span>
        <input type="date" {...field("since")} />
      </label>
      <label className="audit-filter stack gap-2">
        <span>Last day</span>
        <input type="date" {...field("until")} />
      </label>
      {isNarrowed && (
        <button type="button" className="button" onClick={() => onChange(NO_FILTER)}>
          <Icon name="close" size={14} /> Clear filters
        </button>
      )}
    </search>
  );
}

interface FilterSelectProps {
  label: string;
  all: string;
  value: string;
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void;
  children: readonly Choice[];
}

function FilterSelect({ label, all, value, onChange, children }: FilterSelectProps) {
  return (
    <label className="audit-filter stack gap-2">
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
