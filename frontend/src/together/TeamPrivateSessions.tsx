import { useState } from "react";
import {
  abortPrivateSession,
  deletePrivateSession,
  listPrivateSessions,
  type PrivateSession,
} from "../api/together";
import { refreshSessions, useProjects } from "../app/queries";
import { formatAgo, formatCost } from "../lib/format";
import { usePages } from "../lib/usePages";
import { shownName } from "../permissions/approvers";
import type { TeamTabProps } from "../team/tabProps";
import { ConfirmDialog, Losses } from "../ui/ConfirmDialog";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { PagedList } from "../ui/PagedList";
import { SessionDot } from "../ui/StateDot";
import { useAction } from "../ui/useAction";
import "./TeamSharing.css";

/** Private sessions of the team with owner and cost, which is all that admins can see of them. */
export function TeamPrivateSessions({ team }: TeamTabProps) {
  // Polled, because the WebSocket does not report sessions that the person cannot see.
  const sessions = usePages(
    ["sessions", "private", team.id],
    (cursor) => listPrivateSessions(team.id, cursor),
    { refetchInterval: 15_000 },
  );
  const names = new Map(useProjects().data?.items.map((project) => [project.id, project.name]));
  return (
    <section aria-label="Private sessions">
      <h2 className="sharing-title">Private sessions</h2>
      <p className="muted tab-intro">
        You can stop and delete private sessions here without seeing their titles or content.
      </p>
      <PagedList
        query={sessions}
        label="Private sessions"
        loading="Loading the private sessions"
        placeholders={3}
        empty="No private sessions."
        more="Show older sessions"
      >
        {(row) => (
          <PrivateRow key={row.id} teamId={team.id} row={row} project={names.get(row.project_id) ?? ""} />
        )}
      </PagedList>
    </section>
  );
}

interface PrivateRowProps {
  teamId: string;
  row: PrivateSession;
  project: string;
}

function PrivateRow({ teamId, row, project }: PrivateRowProps) {
  const { run, busy, error } = useAction();
  const act = (action: (teamId: string, id: string) => Promise<unknown>) =>
    void run(async () => {
      await action(teamId, row.id);
      refreshSessions();
    });
  return (
    <li className="list-row ruled" data-testid="private-session">
      <div className="list-line cluster gap-12 gap-y-4">
        <SessionDot status={row.status} />
        <span className="sharing-what stack gap-2 break-anywhere">
          <span className="cluster gap-y-2 medium">
            {row.created_by ? shownName(row.created_by) : "Former member"}
          </span>
          <span className="muted">
            <code>{row.id}</code>
          </span>
          <span className="muted number">
            {project && `${project} · `}started {formatAgo(row.created_at)} · last active{" "}
            {formatAgo(row.updated_at)} · {formatCost(row.cost, row.unpriced_calls)}
          </span>
        </span>
        <span className="flow">
          {row.status !== "idle" && (
            <button type="button" className="button" disabled={busy} onClick={() => act(abortPrivateSession)}>
              <Icon name="stop" size={14} /> Stop
            </button>
          )}
          <DeletePrivateSession row={row} busy={busy} onDelete={() => act(deletePrivateSession)} />
        </span>
      </div>
      {error !== null && <Problem error={error} />}
    </li>
  );
}

interface DeletionProps {
  row: PrivateSession;
  busy: boolean;
  onDelete: () => void;
}

function DeletePrivateSession({ row, busy, onDelete }: DeletionProps) {
  const [asking, setAsking] = useState(false);
  const whose = row.created_by ? ` of ${shownName(row.created_by)}` : "";
  return (
    <>
      <button type="button" className="button danger" disabled={busy} onClick={() => setAsking(true)}>
        Delete…
      </button>
      <ConfirmDialog
        open={asking}
        title={`Delete a private session${whose}?`}
        verb="Delete session"
        onConfirm={onDelete}
        onClose={() => setAsking(false)}
      >
        <Losses
          lost="The whole conversation, the sessions of its sub-agents and its share links."
          kept="The files of its workspace, its cost in usage reports, and the audit log."
        />
      </ConfirmDialog>
    </>
  );
}
