import { Link } from "wouter";
import type { GrantScope } from "../api/policies";
import { revokeGrant } from "../api/policies";
import type { Grant } from "../api/policyTypes";
import { formatAgo } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { refreshGrants, useGrants } from "../policies/queries";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { shownName } from "./approvers";
import { SCOPE_LABELS } from "./requestLabels";
import "./GrantList.css";

const NO_GRANTS_TEXT: Record<GrantScope["of"], string> = {
  session: "Nobody has answered “always” to a request that applies to this session.",
  project: "Nobody has answered “always” for this project.",
  team: "Nobody has answered “always” for the whole team.",
};

/** Grants from “always” answers: their author, time and request, with a button to revoke each. */
export function GrantList({ place }: { place: GrantScope }) {
  const grants = useGrants(place);
  if (grants.error && !grants.data) return <Problem error={grants.error} />;
  if (!grants.data) return <Skeleton rows={3} label="Loading the grants" />;
  const { items } = grants.data;
  if (items.length === 0) return <p className="empty-tab muted">{NO_GRANTS_TEXT[place.of]}</p>;
  return (
    <ul className="ruled-top grants">
      {items.map((grant) => (
        <GrantRow key={grant.id} grant={grant} showsScope={place.of === "session"} />
      ))}
    </ul>
  );
}

/** A grant. `showsScope`: also whether it applies to the session, the project or the team. */
export function GrantRow({ grant, showsScope }: { grant: Grant; showsScope: boolean }) {
  const { run, busy, error } = useAction();
  const what = `${grant.permission} ${visibleLine(grant.pattern)}`;
  const revoke = () =>
    run(async () => {
      await revokeGrant(grant.id);
      refreshGrants();
    });
  return (
    <li className="grant ruled" data-testid="grant">
      <div className="grant-row line gap-12">
        <code className="grow break-anywhere">{what}</code>
        <button
          type="button"
          className="button"
          disabled={busy}
          aria-label={`Revoke ${what}`}
          title="Ask again for such calls"
          onClick={() => void revoke()}
        >
          Revoke
        </button>
      </div>
      <p className="flow gap-12 gap-y-0 small muted">
        {showsScope && <span>{SCOPE_LABELS[grant.scope]}</span>}
        {grant.granted_by && <span>by {shownName(grant.granted_by)}</span>}
        <time dateTime={grant.created_at}>{formatAgo(grant.created_at)}</time>
        <Origin grant={grant} />
      </p>
      {error !== null && <Problem error={error} />}
    </li>
  );
}

function Origin({ grant }: { grant: Grant }) {
  if (!grant.request_id) return null;
  if (!grant.session_id) return <span>from request {grant.request_id.slice(-6)}</span>;
  return (
    <Link href={`/sessions/${grant.session_id}`} className="link">
      from request {grant.request_id.slice(-6)}
    </Link>
  );
}
