import { useState } from "react";
import { revokeToken, type Token } from "../api/tokens";
import { useProjects } from "../app/queries";
import { formatAgo } from "../lib/format";
import { ConfirmDialog, Losses } from "../ui/ConfirmDialog";

interface TokenListProps {
  tokens: readonly Token[];
  teams: readonly { id: string; name: string }[];
  onRevoked: () => Promise<unknown>;
}

export function TokenList({ tokens, teams, onRevoked }: TokenListProps) {
  if (tokens.length === 0) return <p className="empty-tab muted">No tokens yet.</p>;
  return (
    <ul className="ruled-top" aria-label="Tokens">
      {tokens.map((token) => (
        <TokenRow key={token.id} token={token} teams={teams} onRevoked={onRevoked} />
      ))}
    </ul>
  );
}

function TokenRow({ token, teams, onRevoked }: Omit<TokenListProps, "tokens"> & { token: Token }) {
  const [asking, setAsking] = useState(false);
  const revoke = async () => {
    await revokeToken(token.id);
    await onRevoked();
  };
  return (
    <li className="token-row ruled" data-testid="token-row">
      <span className="stack gap-0 break-anywhere">
        <span className="cluster gap-y-2 medium">{token.name}</span>
        <span className="muted">
          {token.scopes.join(", ")} · <Restriction token={token} teams={teams} />
        </span>
        <span className="muted">
          {token.last_used_at ? `Used ${formatAgo(token.last_used_at)}` : "Never used"} · {expiryText(token)}
        </span>
      </span>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Revoke…
      </button>
      <ConfirmDialog
        open={asking}
        title={`Revoke ${token.name}?`}
        verb="Revoke"
        onConfirm={revoke}
        onClose={() => setAsking(false)}
      >
        <Losses lost="Programs that use it stop working at once, including open connections." />
      </ConfirmDialog>
    </li>
  );
}

function Restriction({ token, teams }: { token: Token; teams: readonly { id: string; name: string }[] }) {
  const projects = useProjects().data?.items ?? [];
  if (token.project_id) {
    const project = projects.find(({ id }) => id === token.project_id);
    return <>{project ? `project ${project.name}` : "one project"}</>;
  }
  if (!token.team_id) return <>all teams</>;
  const team = teams.find(({ id }) => id === token.team_id);
  return <>{team ? `team ${team.name}` : "a team that you left"}</>;
}

function expiryText(token: Token): string {
  if (!token.expires_at) return "Never expires";
  const day = new Date(token.expires_at).toLocaleDateString(undefined, { dateStyle: "medium" });
  return new Date(token.expires_at) > new Date() ? `Expires ${day}` : `Expired ${day}`;
}
