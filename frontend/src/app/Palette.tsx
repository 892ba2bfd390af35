import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { accountPath } from "../account/paths";
import { agentsPath } from "../agents/paths";
import { search } from "../api/together";
import type { Me, Project, Session } from "../api/types";
import { toggleTheme } from "../lib/theme";
import { isAdmin, mayStart } from "../permissions/approvers";
import { auditPath, policyPath } from "../policies/paths";
import { projectSettingsPath } from "../project/paths";
import { teamPath } from "../team/paths";
import { searchPath } from "../together/searchParams";
import { Dialog } from "../ui/Dialog";
import { Icon, type IconName } from "../ui/Icon";
import { useDebounced } from "../ui/useDebounced";
import { workspacesPath } from "../workspaces/paths";
import { type Match, rank } from "./paletteRank";
import { useMe, useProjects, useSessions } from "./queries";
import { useSessionCommands } from "./sessionCommands";
import { close, focusComposer, open, shellStore } from "./shellStore";
import "./Palette.css";

interface Command {
  id: string;
  label: string;
  detail: string;
  icon: IconName;
  run: () => void;
}

export function Palette() {
  const isOpen = useStore(shellStore, (state) => state.palette);
  return (
    <Dialog
      open={isOpen}
      onClose={() => close("palette")}
      title="Command palette"
      hiddenTitle
      className="palette"
    >
      <PaletteBody />
    </Dialog>
  );
}

interface CommandActions {
  visit: (path: string) => void;
  /** Whether the person can start sessions in projects of this team. */
  canStartIn: (teamId: string) => boolean;
}

function sessionCommands(sessions: Session[], projects: Project[], { visit }: CommandActions): Command[] {
  const names = new Map(projects.map((project) => [project.id, project.name]));
  return sessions.map((session) => ({
    id: session.id,
    label: session.title || "Untitled session",
    detail: names.get(session.project_id) ?? "",
    icon: "chevron",
    run: () => visit(`/sessions/${session.id}`),
  }));
}

function startCommands({ id, name, team_id }: Project, { visit, canStartIn }: CommandActions): Command[] {
  if (!canStartIn(team_id)) return [];
  const run = () => {
    visit(`/projects/${id}`);
    focusComposer();
  };
  return [{ id: `new-${id}`, label: `New task in ${name}`, detail: "", icon: "plus", run }];
}

function projectCommands(project: Project, going: CommandActions): Command[] {
  const { id, name } = project;
  const { visit } = going;
  return [
    { id, label: name, detail: "Project", icon: "file", run: () => visit(`/projects/${id}`) },
    ...startCommands(project, going),
    policyCommand(id, `Policy of ${name}`, "Project", visit),
    agentsCommand(id, `Agents of ${name}`, "Project", visit),
    {
      id: `settings-${id}`,
      label: `Settings of ${name}`,
      detail: "Project",
      icon: "tool",
      run: () => visit(projectSettingsPath(id)),
    },
    {
      id: `workspaces-${id}`,
      label: `Workspaces of ${name}`,
      detail: "Project",
      icon: "box",
      run: () => visit(workspacesPath(id)),
    },
  ];
}

function policyCommand(
  place: string,
  label: string,
  detail: string,
  visit: CommandActions["visit"],
): Command {
  return { id: `policy-${place}`, label, detail, icon: "shield", run: () => visit(policyPath(place)) };
}

function agentsCommand(
  place: string,
  label: string,
  detail: string,
  visit: CommandActions["visit"],
): Command {
  return { id: `agents-${place}`, label, detail, icon: "agent", run: () => visit(agentsPath(place)) };
}

function teamCommands({ id, name, role }: Me["teams"][number], { visit }: CommandActions): Command[] {
  const policy = policyCommand(id, `Policy of ${name}`, "Team", visit);
  const agents = agentsCommand(id, `Agents of ${name}`, "Team", visit);
  const to = (tab: string, label: string): Command => ({
    id: `${tab}-${id}`,
    label,
    detail: "Team",
    icon: "stack",
    run: () => visit(teamPath(id, tab)),
  });
  const everybody = [
    to("members", `Members of ${name}`),
    policy,
    agents,
    to("usage", `Usage of ${name}`),
    to("budgets", `Budgets of ${name}`),
    to("settings", `Settings of ${name}`),
  ];
  if (!isAdmin(role)) return everybody;
  const audit = () => visit(auditPath(id));
  return [
    ...everybody,
    to("invitations", `Invite people to ${name}`),
    to("providers", `Providers of ${name}`),
    to("webhooks", `Webhooks of ${name}`),
    to("tokens", `Service accounts of ${name}`),
    to("sharing", `Sharing of ${name}`),
    { id: `audit-${id}`, label: `Audit log of ${name}`, detail: "Team", icon: "list", run: audit },
  ];
}

const NEW_TEAM: Command = {
  id: "new-team",
  label: "Create a team",
  detail: "",
  icon: "plus",
  run: () => open("newTeam"),
};

const SITE_COMMANDS: Command[] = [
  { id: "theme", label: "Toggle theme", detail: "dark, light", icon: "moon", run: toggleTheme },
  { id: "keys", label: "Keyboard shortcuts", detail: "?", icon: "question", run: () => open("help") },
];

function useCommands(): Command[] {
  const [, go] = useLocation();
  const projects = useProjects().data?.items;
  const sessions = useSessions().data?.items;
  const me = useMe().data;
  const teams = me?.teams;
  const mayCreate = me?.can_create_teams;
  return useMemo(() => {
    const going: CommandActions = {
      visit: (path) => go(path),
      canStartIn: (teamId) => mayStart(teams?.find((team) => team.id === teamId)?.role ?? null),
    };
    return [
      ...sessionCommands(sessions ?? [], projects ?? [], going),
      ...(projects ?? []).flatMap((project) => projectCommands(project, going)),
      ...(teams ?? []).flatMap((team) => teamCommands(team, going)),
      policyCommand("site", "Policy of the site", "", going.visit),
      agentsCommand("site", "Agents of the site", "", going.visit),
      {
        id: "site-mcp",
        label: "MCP servers of the site",
        detail: "",
        icon: "box",
        run: () => going.visit("/mcp-servers"),
      },
      {
        id: "site-configuration",
        label: "Configuration of the site",
        detail: "",
        icon: "tool",
        run: () => going.visit("/configuration"),
      },
      {
        id: "workspaces",
        label: "Workspaces",
        detail: "",
        icon: "box",
        run: () => going.visit(workspacesPath()),
      },
      { id: "inbox", label: "Inbox", detail: "", icon: "inbox", run: () => going.visit("/inbox") },
      {
        id: "account",
        label: "Your account",
        detail: "Settings",
        icon: "user",
        run: () => going.visit(accountPath()),
      },
      { id: "home", label: "Home", detail: "", icon: "list", run: () => going.visit("/") },
      ...(mayCreate ? [NEW_TEAM] : []),
      ...SITE_COMMANDS,
    ];
  }, [projects, sessions, teams, mayCreate, go]);
}

/** Returns sessions whose content matches the query; they are listed after commands that match by name. */
function useSearchCommands(query: string): Command[] {
  const [, go] = useLocation();
  const text = useDebounced(query.trim(), 200);
  const { data } = useQuery({
    queryKey: ["search", "palette", text],
    queryFn: () => search({ q: text, limit: 5 }),
    enabled: text.length > 2,
  });
  if (text.length <= 2 || text !== query.trim()) return [];
  const hits = (data?.items ?? []).map((hit) => ({
    id: `hit-${hit.ref}`,
    label: hit.pieces.map((piece) => piece.text).join(""),
    detail: hit.session_title || "Untitled session",
    icon: "explore" as const,
    run: () => go(`/sessions/${hit.session_id}`),
  }));
  const all: Command = {
    id: "search-all",
    label: `Search for “${text}”`,
    detail: "",
    icon: "explore",
    run: () => go(searchPath({ q: text })),
  };
  return [...hits, all];
}

function PaletteBody() {
  const places = useCommands();
  const ofSession = useSessionCommands();
  const listId = useId();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const hits = useSearchCommands(query);
  const named: Match<Command>[] = rank(
    [...places, ...ofSession],
    query,
    (command) => `${command.label} ${command.detail}`,
  );
  const found = [...named.map(({ item }) => ({ item })), ...hits.map((item) => ({ item }))];
  const choose = (command: Command | undefined) => {
    if (!command) return;
    close("palette");
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setActive((active + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") setActive((active - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") choose(found[active]?.item);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        className="palette-input"
        // biome-ignore lint/a11y/noAutofocus: a palette is opened to type into it
        autoFocus
        role="combobox"
        aria-label="Command palette"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[active] ? `${listId}-${found[active].item.id}` : undefined}
        placeholder="Session, project or command"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKey}
      />
      <div className="palette-list" role="listbox" id={listId} aria-label="Results">
        {found.map(({ item }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the combobox that owns the list
          <div
            key={item.id}
            id={`${listId}-${item.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className="palette-item line"
            onClick={() => choose(item)}
            onMouseMove={() => setActive(index)}
          >
            <Icon name={item.icon} />
            <span className="palette-label ellipsis">{item.label}</span>
            <span className="muted">{item.detail}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="palette-none muted">No results.</p>}
    </>
  );
}
