import { useLocation, useSearch } from "wouter";
import type { Project, WorkspaceState } from "../api/types";
import type { WorkspaceFilter } from "../api/workspaces";
import { useTabTitle } from "../app/live";
import { useProjects } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { useLevelAt } from "../settings/levels";
import { SettingsFrame } from "../settings/SettingsFrame";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { STATE_LABELS } from "./labels";
import { useWorkspaces } from "./queries";
import { WorkspaceRows } from "./WorkspaceRows";
import "./WorkspacePage.css";
import "./WorkspacesPage.css";

const STATES = Object.keys(STATE_LABELS) as WorkspaceState[];

/** An empty text removes a filter. */
interface FilterChange {
  project?: string;
  state?: string;
}

/** Reads and writes the filter in the URL, so that it can be linked to and survives a reload. */
function useFilter(): [WorkspaceFilter, (change: FilterChange) => void] {
  const [, go] = useLocation();
  const query = new URLSearchParams(useSearch());
  const state = STATES.find((name) => name === query.get("state"));
  const project = query.get("project");
  const filter: WorkspaceFilter = { ...(project ? { project } : {}), ...(state ? { state } : {}) };
  const change = (next: FilterChange) => {
    const kept = Object.entries({ ...filter, ...next }).filter(([, value]) => value);
    const text = new URLSearchParams(kept).toString();
    go(`/workspaces${text && `?${text}`}`, { replace: true });
  };
  return [filter, change];
}

export function WorkspacesPage() {
  const [filter, setFilter] = useFilter();
  const projects = useProjects().data?.items ?? [];
  const workspaces = useWorkspaces(filter);
  const items = workspaces.data?.pages.flatMap((page) => page.items) ?? [];
  const level = useLevelAt(filter.project ?? "site");
  useTabTitle("Workspaces", useWaiting().count);
  return (
    <SettingsFrame level={level} current="workspaces" columnClass="workspace-page">
      <h1>Workspaces</h1>
      <p className="muted">
        A workspace consists of the files of a project and the container that works on them. Several sessions
        can share a workspace.
      </p>
      <Filters filter={filter} projects={projects} onChange={setFilter} />
      {workspaces.error && <Problem error={workspaces.error} onRetry={workspaces.refetch} />}
      {workspaces.isPending && <Skeleton rows={6} label="Loading workspaces" />}
      {workspaces.data && items.length === 0 && (
        <Empty
          isFiltered={!!(filter.project || filter.state)}
          onAll={() => setFilter({ project: "", state: "" })}
        />
      )}
      {items.length > 0 && <WorkspaceRows workspaces={items} />}
      {workspaces.hasNextPage && (
        <button type="button" className="button" onClick={() => void workspaces.fetchNextPage()}>
          Show more
        </button>
      )}
    </SettingsFrame>
  );
}

interface FiltersProps {
  filter: WorkspaceFilter;
  projects: readonly Project[];
  onChange: (change: FilterChange) => void;
}

function Filters({ filter, projects, onChange }: FiltersProps) {
  return (
    <div className="workspace-filters flow gap-16 gap-y-8">
      <label className="line muted">
        Project
        <select value={filter.project ?? ""} onChange={(event) => onChange({ project: event.target.value })}>
          <option value="">All projects</option>
          <OptionList of={projects.map((project) => [project.id, project.name])} />
        </select>
      </label>
      <label className="line muted">
        State
        <select value={filter.state ?? ""} onChange={(event) => onChange({ state: event.target.value })}>
          <option value="">Any state</option>
          <OptionList of={STATES.map((state) => [state, STATE_LABELS[state]])} />
        </select>
      </label>
    </div>
  );
}

function Empty({ isFiltered, onAll }: { isFiltered: boolean; onAll: () => void }) {
  if (!isFiltered) {
    return <p className="empty-tab muted">No workspaces yet. The first session of a project creates one.</p>;
  }
  return (
    <p className="empty-tab muted">
      No workspaces match these filters.{" "}
      <button type="button" className="link" onClick={onAll}>
        Show all
      </button>
    </p>
  );
}
