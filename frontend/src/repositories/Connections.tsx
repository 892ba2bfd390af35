import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type Connection,
  listConnections,
  removeConnection,
  revokeConnection,
  testConnection,
} from "../api/repositories";
import { formatAgo } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { isAdmin } from "../permissions/approvers";
import type { TeamTabProps } from "../team/tabProps";
import { Dialog } from "../ui/Dialog";
import { ConfirmButton, ExpandableRow } from "../ui/ExpandableRow";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { ConnectionForm, CredentialForm } from "./ConnectionForm";
import { DeployKey } from "./DeployKey";
import { connectionsKey, KINDS, stateLabel } from "./kinds";
import { TeamCommits } from "./TeamCommits";

/** The team's connections to forges. */
export function Connections({ team }: TeamTabProps) {
  const found = useQuery({ queryKey: connectionsKey(team.id), queryFn: () => listConnections(team.id) });
  const [adding, setAdding] = useState(false);
  const mayChange = isAdmin(team.role) && !team.remove_at;
  return (
    <>
      <p className="muted tab-intro">
        Projects get their repositories through these connections. Agents never see a credential: a process
        outside the workspace adds it to requests for the project's repository.
      </p>
      {mayChange && (
        <p className="tab-intro">
          <button type="button" className="button primary" onClick={() => setAdding(true)}>
            <Icon name="plus" size={14} /> Connect a forge
          </button>
        </p>
      )}
      <Dialog open={adding} onClose={() => setAdding(false)} title="Connect a forge">
        <div className="confirm">
          <ConnectionForm
            teamId={team.id}
            keepsFailed
            onConnected={() => setAdding(false)}
            onCancel={() => setAdding(false)}
          />
        </div>
      </Dialog>
      {found.isPending && <Skeleton rows={3} label="Loading the connections" />}
      {found.error && !found.data && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data?.items.length === 0 && <p className="empty-tab muted">No connections yet.</p>}
      <ul className="ruled-top spaced-list" aria-label="Connections">
        {found.data?.items.map((connection) => (
          <ConnectionRow key={connection.id} connection={connection} onChanged={found.refetch} />
        ))}
      </ul>
      <TeamCommits teamId={team.id} mayChange={mayChange} />
    </>
  );
}

interface ConnectionRowProps {
  connection: Connection;
  onChanged: () => Promise<unknown>;
}

function ConnectionRow({ connection, onChanged }: ConnectionRowProps) {
  const [replacing, setReplacing] = useState(false);
  const { run, busy, error } = useAction();
  const act = (action: () => Promise<unknown>) => () =>
    void run(async () => {
      await action();
      await onChanged();
    });
  const isRevoked = connection.state === "revoked";
  return (
    <ExpandableRow
      name={visibleLine(connection.name)}
      about={<span className="muted">{KINDS[connection.kind].label}</span>}
      testId="connection-row"
      aside={
        <span className={connection.state === "failed" ? "text-failed" : "muted"}>
          {stateLabel(connection.state)}
        </span>
      }
      note={
        connection.message && (
          <p className="flex align-baseline gap-6" role="status">
            <Icon name="warning" size={14} /> {visibleLine(connection.message)}
          </p>
        )
      }
      error={error}
    >
      {connection.can_edit ? (
        <>
          <Facts connection={connection} />
          <DeployKey connection={connection} />
          <div className="flow">
            {!isRevoked && (
              <button
                type="button"
                className="button"
                disabled={busy}
                onClick={act(() => testConnection(connection.id))}
              >
                Test
              </button>
            )}
            <button type="button" className="button" onClick={() => setReplacing(true)}>
              Replace credential
            </button>
            {!isRevoked && (
              <ConfirmButton
                verb="Revoke"
                name={connection.name}
                lost="Its credential is deleted. Fetches and pushes of running sessions are refused at once."
                busy={busy}
                onConfirm={act(() => revokeConnection(connection.id))}
              />
            )}
            <ConfirmButton
              verb="Remove"
              name={connection.name}
              lost="The connection and its credential."
              busy={busy}
              onConfirm={act(() => removeConnection(connection.id))}
            />
          </div>
          <Dialog
            open={replacing}
            onClose={() => setReplacing(false)}
            title={`Replace the credential of ${connection.name}`}
          >
            <CredentialForm
              connection={connection}
              onSaved={async () => {
                setReplacing(false);
                await onChanged();
              }}
            />
          </Dialog>
        </>
      ) : (
        <p className="muted">Admins of the team manage it.</p>
      )}
    </ExpandableRow>
  );
}

function Facts({ connection }: { connection: Connection }) {
  const facts = [
    connection.account && `signed in as ${visibleLine(connection.account)}`,
    connection.ending && `token ends with ${connection.ending}`,
    connection.auth === "app" && "GitHub App",
    connection.last_used_at && `last used ${formatAgo(connection.last_used_at)}`,
  ].filter(Boolean);
  return (
    <p className="muted break-anywhere">
      {connection.base_url}
      {facts.length > 0 && `: ${facts.join(", ")}`}
    </p>
  );
}
