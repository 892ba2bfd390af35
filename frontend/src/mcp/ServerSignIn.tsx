import { beginMcpSignIn, type McpServer, signOutOfMcp } from "../api/mcp";
import { formatAgo } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { ConfirmButton } from "../ui/ExpandableRow";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";

interface ServerSignInProps {
  server: McpServer;
  onChanged: () => Promise<unknown>;
}

/**
 * Signs in at a server that wants it, and out of it: for oneself or, if the server has one account of the
 * team, for the team. Signing in leaves this page; the server's page follows.
 */
export function ServerSignIn({ server, onChanged }: ServerSignInProps) {
  const { run, busy, error } = useAction();
  const { account } = server;
  if (!server.asks_sign_in || !server.enabled) return null;
  const isOfTeam = server.sign_in === "team";
  if (isOfTeam && !server.can_edit) return account ? <Who server={server} /> : null;
  const mustAgain = account === null || account.problem !== "" || account.wanted.length > 0;
  return (
    <div className="stack gap-8">
      <Who server={server} />
      <div className="flow">
        {mustAgain && (
          <button
            type="button"
            className="button primary"
            disabled={busy}
            onClick={() =>
              void run(async () => {
                const begun = await beginMcpSignIn(server.id);
                window.location.assign(begun.authorization_url);
              })
            }
          >
            {busy ? "Signing in…" : account ? "Sign in again" : isOfTeam ? "Sign in for the team" : "Sign in"}
            <span className="sr-only"> to {server.name}</span>
          </button>
        )}
        {account && (
          <ConfirmButton
            verb={isOfTeam ? "Sign the team out" : "Sign out"}
            name={`of ${server.name}`}
            lost="The next call is refused, and the tokens are revoked at the server."
            busy={busy}
            onConfirm={() =>
              void run(async () => {
                await signOutOfMcp(server.id);
                await onChanged();
              })
            }
          />
        )}
      </div>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

function Who({ server: { account, sign_in } }: { server: McpServer }) {
  if (!account) return null;
  const by = account.signed_in_by;
  const who =
    sign_in === "team"
      ? `The team is signed in, by ${by?.name || by?.email || "an admin"}`
      : "You are signed in";
  return (
    <p className="small muted break-anywhere">
      {who}, {formatAgo(account.signed_in_at)}
      {account.issuer && `, at ${visibleLine(account.issuer)}`}
      {account.scopes.length > 0 && `, for: ${visibleLine(account.scopes.join(", "))}`}.
    </p>
  );
}
