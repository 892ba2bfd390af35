import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountTabProps } from "../account/tabProps";
import { createMcpServer, listMcpServers, type McpOwner } from "../api/mcp";
import { isAdmin } from "../permissions/approvers";
import type { ProjectTabProps } from "../project/tabProps";
import type { TeamTabProps } from "../team/tabProps";
import { Problem, Skeleton } from "../ui/Notice";
import { DeclaredServers } from "./DeclaredServers";
import { Gallery } from "./Gallery";
import { ServerForm } from "./ServerForm";
import { ServerRow } from "./ServerRow";
import { NEW, newServer, type ServerFields } from "./serverFields";
import "./mcp.css";

/** Tab of a project: its MCP servers, and those it has from its team and the site. */
export function ProjectServers({ project, mayChange }: ProjectTabProps) {
  return (
    <ServerList
      owner={{ project: project.id }}
      place={project.id}
      projectId={project.id}
      mayChange={mayChange}
      intro="Agents in this project can use the tools of these servers. A server of the project replaces one of the team or the site with the same name."
    />
  );
}

/** Tab of the account: the person's own servers. */
export function MyServers({ me }: AccountTabProps) {
  return (
    <ServerList
      owner="me"
      place={me.user.id}
      mayChange
      intro="Turns that you start can use the tools of these servers, in every project and for nobody else. They must be remote: only admins can add servers that run in workspaces."
    />
  );
}

export function TeamServers({ team }: TeamTabProps) {
  return (
    <ServerList
      owner={{ team: team.id }}
      place={team.id}
      mayChange={isAdmin(team.role)}
      intro="Agents in all projects of the team can use the tools of these servers. A person is asked before each call, unless a rule says something else."
    />
  );
}

interface ServerListProps {
  owner: McpOwner;
  place: string;
  projectId?: string;
  mayChange: boolean;
  intro: string;
}

interface Draft {
  fields: ServerFields;
  hint: string;
}

export function ServerList({ owner, place, projectId, mayChange, intro }: ServerListProps) {
  const found = useQuery({ queryKey: ["mcp-servers", owner], queryFn: () => listMcpServers(owner) });
  const refresh = () => found.refetch();
  const [draft, setDraft] = useState<Draft | null>(null);
  return (
    <>
      <p className="muted tab-intro">{intro}</p>
      {mayChange && (
        <div className="flow mcp-actions">
          <button
            type="button"
            className="button"
            onClick={() => setDraft({ fields: owner === "me" ? { ...NEW, kind: "remote" } : NEW, hint: "" })}
          >
            Add a server
          </button>
          <Gallery remoteOnly={owner === "me"} onChoose={(fields, hint) => setDraft({ fields, hint })} />
        </div>
      )}
      {draft && (
        <ServerForm
          key={draft.fields.name}
          title="New MCP server"
          verb="Add server"
          start={draft.fields}
          hint={draft.hint}
          remoteOnly={owner === "me"}
          save={async (fields) => {
            await createMcpServer(owner, newServer(fields));
            setDraft(null);
            await refresh();
          }}
        />
      )}
      {found.isPending && <Skeleton rows={3} label="Loading the MCP servers" />}
      {found.error && <Problem error={found.error} onRetry={refresh} />}
      {found.data?.items.length === 0 && <p className="empty-tab muted">No MCP servers yet.</p>}
      <ul className="ruled-top" aria-label="MCP servers">
        {found.data?.items.map((server) => (
          <ServerRow
            key={server.id}
            server={server}
            isOwn={server.place === place}
            projectId={projectId}
            onChanged={refresh}
          />
        ))}
      </ul>
      {projectId && (
        <DeclaredServers
          projectId={projectId}
          onAdd={mayChange ? (fields, hint) => setDraft({ fields, hint }) : undefined}
        />
      )}
    </>
  );
}
