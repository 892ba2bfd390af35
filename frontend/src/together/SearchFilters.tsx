import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { listMembers } from "../api/teams";
import { useMe, useProjects } from "../app/queries";
import { shownName } from "../permissions/approvers";
import { OptionList } from "../ui/OptionList";
import type { SearchParams } from "./searchParams";
import "./search.css";

interface SearchFiltersProps {
  params: SearchParams;
  onChange: (params: SearchParams) => void;
}

const STATE_OPTIONS = [
  ["running", "Running"],
  ["waiting", "Waiting"],
  ["idle", "Idle"],
] as const;

export function SearchFilters({ params, onChange }: SearchFiltersProps) {
  const projects = useProjects().data?.items ?? [];
  const people = usePeople();
  const set = (change: Partial<SearchParams>) => onChange({ ...params, ...change });
  return (
    <fieldset className="search-filters flow gap-16 gap-y-8">
      <legend className="sr-only">Filters</legend>
      <Filter label="Project">
        <select value={params.project} onChange={(event) => set({ project: event.target.value })}>
          <option value="">All</option>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Filter>
      <Filter label="Person">
        <select value={params.person} onChange={(event) => set({ person: event.target.value })}>
          <option value="">Anyone</option>
          <OptionList of={people.map((person) => [person.id, shownName(person)])} />
        </select>
      </Filter>
      <Filter label="State">
        <select value={params.status} onChange={(event) => set({ status: event.target.value })}>
          <option value="">Any</option>
          <OptionList of={STATE_OPTIONS} />
        </select>
      </Filter>
      <Filter label="From">
        <input
          type="date"
          max={params.until || undefined}
          value={params.from}
          onChange={(event) => set({ from: event.target.value })}
        />
      </Filter>
      <Filter label="Until">
        <input
          type="date"
          min={params.from || undefined}
          value={params.until}
          onChange={(event) => set({ until: event.target.value })}
        />
      </Filter>
    </fieldset>
  );
}

function Filter({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label>
      <span>{label}</span> {children}
    </label>
  );
}

/** Returns all people of the person's teams, without duplicates. */
function usePeople() {
  const teams = useMe().data?.teams ?? [];
  const lists = useQueries({
    queries: teams.map(({ id }) => ({
      queryKey: ["people-of-team", id],
      queryFn: () => listMembers(id),
      staleTime: 60_000,
    })),
  });
  const people = lists.flatMap((list) => list.data?.items.map((member) => member.user) ?? []);
  const known = new Map(people.map((person) => [person.id, person]));
  return [...known.values()].sort((one, other) => shownName(one).localeCompare(shownName(other)));
}
