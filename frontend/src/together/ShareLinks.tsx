import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { hasCode } from "../api/http";
import {
  createShareLink,
  type IssuedShareLink,
  listShareLinks,
  type NewShareLink,
  revokeShareLink,
  type ShareLink,
} from "../api/together";
import { queryClient } from "../app/queries";
import { formatAgo } from "../lib/format";
import { atPrefix } from "../lib/prefix";
import { shownName } from "../permissions/approvers";
import { policyPath } from "../policies/paths";
import { useLive } from "../store/SessionContext";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { type PublicLinks, usePublicLinks } from "./publicLinks";
import "./search.css";
import "./share.css";

const DAY_MS = 86_400_000;
const LIFETIME_DAYS: Readonly<Record<string, number>> = { "1": 1, "7": 7, "30": 30 };

export const AUDIENCE_LABELS: Record<ShareLink["reach"], string> = {
  team: "Members of the team",
  public: "Anybody with the link",
};

export const linkAddress = (link: IssuedShareLink): string => window.location.origin + atPrefix(link.path);

/** Whether the link is neither revoked nor expired. */
export const isActive = (link: ShareLink, now = Date.now()): boolean =>
  link.revoked_at === null && (link.expires_at === null || Date.parse(link.expires_at) > now);

export function ShareLinks({ sessionId }: { sessionId: string }) {
  const canAct = useLive((state) => state.canAct);
  const key = ["share-links", sessionId];
  const { data, error } = useQuery({ queryKey: key, queryFn: () => listShareLinks(sessionId) });
  const refresh = () => queryClient.invalidateQueries({ queryKey: key });
  return (
    <section className="share-links ruled-top" aria-label="Links">
      <h3>Links</h3>
      <p className="muted">
        People with a link can read the conversation, but not files of the workspace or output of tools.
      </p>
      {error && <Problem error={error} />}
      {!data && !error && <Skeleton rows={2} label="Loading links" />}
      {data && (
        <Rows links={data.items.filter((link) => isActive(link))} canAct={canAct} onChange={refresh} />
      )}
      {canAct && <NewLink sessionId={sessionId} onMade={refresh} />}
    </section>
  );
}

interface RowsProps {
  links: readonly ShareLink[];
  canAct: boolean;
  onChange: () => Promise<void>;
}

function Rows({ links, canAct, onChange }: RowsProps) {
  const action = useAction();
  const [revoking, setRevoking] = useState("");
  if (links.length === 0) return <p className="muted">No links yet.</p>;
  const revoke = (id: string) =>
    action.run(async () => {
      await revokeShareLink(id);
      setRevoking("");
      await onChange();
    });
  return (
    <ul className="link-rows stack">
      {links.map((link) => (
        <li key={link.id} className="cluster between">
          <span>
            {AUDIENCE_LABELS[link.reach]}
            <span className="muted">
              {" "}
              · created {formatAgo(link.created_at)}
              {link.created_by && ` by ${shownName(link.created_by)}`}
              {link.expires_at && ` · until ${new Date(link.expires_at).toLocaleDateString()}`}
            </span>
          </span>
          {canAct && revoking !== link.id && (
            <button type="button" className="link" onClick={() => setRevoking(link.id)}>
              Revoke
            </button>
          )}
          {revoking === link.id && (
            <button
              type="button"
              className="button danger"
              disabled={action.busy}
              onClick={() => void revoke(link.id)}
            >
              Revoke: the link stops working
            </button>
          )}
        </li>
      ))}
      {action.error !== null && <Problem error={action.error} />}
    </ul>
  );
}

function NewLink({ sessionId, onMade }: { sessionId: string; onMade: () => Promise<void> }) {
  const projectId = useLive((state) => state.session?.project_id ?? "");
  const open = usePublicLinks(projectId);
  const action = useAction();
  const [refused, setRefused] = useState(false);
  const [reach, setReach] = useState<NewShareLink["reach"]>("team");
  const [days, setDays] = useState("7");
  const [names, setNames] = useState(false);
  const [created, setCreated] = useState<IssuedShareLink | null>(null);
  const mayBePublic = !refused && (open.state === "on" || open.state === "unknown");
  const chosen = mayBePublic ? reach : "team";
  const make = () =>
    action.run(async () => {
      const length = LIFETIME_DAYS[days];
      const expires_at = length === undefined ? null : new Date(Date.now() + length * DAY_MS).toISOString();
      const wished = { reach: chosen, expires_at, show_names: names };
      setCreated(
        await createShareLink(sessionId, wished).catch((problem) => {
          if (isPublicRefused(problem)) setRefused(true);
          throw problem;
        }),
      );
      await onMade();
    });
  return (
    <div className="new-link stack items-start gap-10 ruled-top">
      <label>
        Who can use it{" "}
        <select value={chosen} onChange={(event) => setReach(event.target.value as NewShareLink["reach"])}>
          <option value="team">{AUDIENCE_LABELS.team}</option>
          {mayBePublic && <option value="public">{AUDIENCE_LABELS.public}</option>}
        </select>
      </label>
      {open.why && <PublicLinksOff open={open} />}
      <label>
        Valid for{" "}
        <select value={days} onChange={(event) => setDays(event.target.value)}>
          <option value="1">1 day</option>
          <option value="7">1 week</option>
          <option value="30">30 days</option>
          <option value="">until revoked</option>
        </select>
      </label>
      <label>
        <input type="checkbox" checked={names} onChange={(event) => setNames(event.target.checked)} /> Show
        names of authors
      </label>
      <button type="button" className="button primary" disabled={action.busy} onClick={() => void make()}>
        Create link
      </button>
      {action.error !== null && <Problem error={action.error} />}
      {created && <CreatedLink link={created} />}
    </div>
  );
}

/** Whether public links were refused: a policy may have changed while the dialog was open. */
const isPublicRefused = (error: unknown): boolean => hasCode(error, "public_links_off");

function PublicLinksOff({ open }: { open: PublicLinks }) {
  return (
    <p className="muted">
      {open.why}{" "}
      {open.place && (
        <Link href={policyPath(open.place)} className="link">
          Open the policy
        </Link>
      )}
    </p>
  );
}

function CreatedLink({ link }: { link: IssuedShareLink }) {
  const [copied, setCopied] = useState(false);
  const address = linkAddress(link);
  const copy = async () => {
    await navigator.clipboard?.writeText(address);
    setCopied(true);
  };
  return (
    <div className="made-link cluster full-width" data-testid="made-link">
      <p className="full-width">Copy the link now. It is not shown again.</p>
      <input readOnly aria-label="Share link" value={address} onFocus={(event) => event.target.select()} />
      <button type="button" className="button" onClick={() => void copy()}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
