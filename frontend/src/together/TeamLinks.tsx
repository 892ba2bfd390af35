import { useState } from "react";
import { Link } from "wouter";
import { listTeamShareLinks, revokeShareLink, type ShareLink } from "../api/together";
import { queryClient } from "../app/queries";
import { formatAgo } from "../lib/format";
import { usePages } from "../lib/usePages";
import { shownName } from "../permissions/approvers";
import type { TeamTabProps } from "../team/tabProps";
import { Problem } from "../ui/Notice";
import { PagedList } from "../ui/PagedList";
import { useAction } from "../ui/useAction";
import { AUDIENCE_LABELS, isActive } from "./ShareLinks";
import "./TeamSharing.css";

/** All share links of the team's sessions. */
export function TeamLinks({ team }: TeamTabProps) {
  const links = usePages(["share-links", "team", team.id], (cursor) => listTeamShareLinks(team.id, cursor));
  const refresh = () => queryClient.invalidateQueries({ queryKey: ["share-links"] });
  return (
    <section aria-label="Share links">
      <h2 className="sharing-title">Share links</h2>
      <p className="muted tab-intro">
        People with a link can read the conversation of one session and nothing else.
      </p>
      <PagedList
        query={links}
        label="Share links"
        loading="Loading the links"
        placeholders={3}
        empty="No links yet."
        more="Show older links"
      >
        {(link) => <LinkRow key={link.id} link={link} onRevoked={refresh} />}
      </PagedList>
    </section>
  );
}

interface LinkRowProps {
  link: ShareLink;
  onRevoked: () => Promise<void>;
}

function LinkRow({ link, onRevoked }: LinkRowProps) {
  const alive = isActive(link);
  return (
    <li className="list-row ruled" data-testid="team-link">
      <div className="list-line cluster gap-12 gap-y-4">
        <span className="sharing-what stack gap-2 break-anywhere">
          <LinkedSession link={link} />
          <span className="muted">
            Created {formatAgo(link.created_at)}
            {link.created_by && ` by ${shownName(link.created_by)}`}
            {alive && link.expires_at && ` · until ${new Date(link.expires_at).toLocaleDateString()}`}
          </span>
        </span>
        <span className="muted">{alive ? AUDIENCE_LABELS[link.reach] : endLabel(link)}</span>
        {alive && <Revoke link={link} onRevoked={onRevoked} />}
      </div>
    </li>
  );
}

/** Link to the session. A session without a title here is one that the person cannot see. */
function LinkedSession({ link }: { link: ShareLink }) {
  if (!link.session_title) return <code>{link.session_id}</code>;
  return (
    <Link href={`/sessions/${link.session_id}`} className="link">
      {link.session_title}
    </Link>
  );
}

const endLabel = (link: ShareLink): string => (link.revoked_at ? "Revoked" : "Expired");

function Revoke({ link, onRevoked }: LinkRowProps) {
  const { run, busy, error } = useAction();
  const [asking, setAsking] = useState(false);
  const revoke = () =>
    run(async () => {
      await revokeShareLink(link.id);
      await onRevoked();
    });
  return (
    <>
      {!asking && (
        <button type="button" className="button" onClick={() => setAsking(true)}>
          Revoke…
        </button>
      )}
      {asking && (
        <span className="flow">
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Cancel
          </button>
          <button type="button" className="button danger" disabled={busy} onClick={() => void revoke()}>
            Revoke: the link stops working
          </button>
        </span>
      )}
      {error !== null && <Problem error={error} />}
    </>
  );
}
