import { useState } from "react";
import { Link } from "wouter";
import type { Limit, Usage, WorkspaceDetail } from "../api/workspaceTypes";
import { useMe } from "../app/queries";
import { formatAgo } from "../lib/format";
import { isAdmin } from "../permissions/approvers";
import { policyPath } from "../policies/paths";
import { Icon } from "../ui/Icon";
import { busyCpus, diskText, isSoftDisk, type Meter, metersOf, SOURCE_LABELS } from "./labels";
import { LIMITS } from "./limits";
import { useUsage } from "./queries";
import { FullnessLabel, UsageBar } from "./UsageBar";
import "./WorkspacePage.css";

/** Limits of a workspace with their current usage and the level that sets each limit. */
export function LimitsAndUsage({ workspace }: { workspace: WorkspaceDetail }) {
  const isRunning = workspace.state === "running";
  const live = useUsage(workspace.id, isRunning);
  const usage = newer(live.data?.usage ?? null, workspace.usage);
  const isLive = isRunning && !!live.data?.live;
  const busy = useBusyCpus(usage);
  const meters = metersOf(usage, workspace.limits, isLive ? busy : null, isRunning);
  const others = LIMITS.filter(
    ({ name, metered, aboveProjects }) => !metered && !aboveProjects && workspace.limits[name],
  );
  return (
    <section className="workspace-part" aria-label="Limits and usage" data-testid="limits">
      <header className="flow align-baseline between gap-16 gap-y-0 ruled">
        <h2>Limits and usage</h2>
        <Freshness usage={usage} isLive={isLive} />
      </header>
      {workspace.outdated && (
        <p className="workspace-hint flex muted">
          <Icon name="wait" size={14} /> The limits changed after the container was created. They apply from
          its next start; rebuild it to apply them now.
        </p>
      )}
      <ul className="meters">
        {meters.map((meter) => (
          <MeterRow key={meter.name} meter={meter} workspace={workspace} />
        ))}
      </ul>
      {isSoftDisk(workspace.disk_driver) && (
        <p className="workspace-hint flex muted">
          <Icon name="warning" size={14} /> {diskText(workspace.disk_driver)}.
        </p>
      )}
      <ul className="other-limits ruled-top">
        {others.map(({ name, label, format }) => {
          const limit = workspace.limits[name] as Limit;
          return (
            <li key={name} data-limit={name}>
              <span className="meter-label medium">{label}</span>
              <span className="meter-text number">{format(limit.value)}</span>
              <Source limit={limit} workspace={workspace} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Returns the newer measurement: live usage is not stored when the workspace stops. */
function newer(live: Usage | null, stored: Usage | null): Usage | null {
  if (!live || !stored) return live ?? stored;
  return Date.parse(live.at) >= Date.parse(stored.at) ? live : stored;
}

function Freshness({ usage, isLive }: { usage: Usage | null; isLive: boolean }) {
  if (!usage) return <span className="muted">Not measured yet</span>;
  if (isLive) return <span className="muted">Live, updated every 3 s</span>;
  return (
    <span className="muted">
      Last measured <time dateTime={usage.at}>{formatAgo(usage.at)}</time>
    </span>
  );
}

function MeterRow({ meter, workspace }: { meter: Meter; workspace: WorkspaceDetail }) {
  return (
    <li data-testid="meter" data-meter={meter.name}>
      <span className="meter-label medium">{meter.label}</span>
      <UsageBar meter={meter} label={meter.label} />
      <span className="meter-text number">
        {meter.text} <FullnessLabel meter={meter} />
      </span>
      <Source limit={workspace.limits[meter.limit]} workspace={workspace} />
    </li>
  );
}

/** The policy that sets the limit, as a link for admins. */
function Source({ limit, workspace }: { limit: Limit | undefined; workspace: WorkspaceDetail }) {
  const role = useMe().data?.teams.find((team) => team.id === workspace.team_id)?.role ?? null;
  if (!limit) return <span className="meter-source small muted" />;
  const label = SOURCE_LABELS[limit.source];
  if (limit.source === "default" || !isAdmin(role))
    return <span className="meter-source small muted">{label}</span>;
  const place = { site: "site", team: workspace.team_id, project: workspace.project_id }[limit.source];
  return (
    <span className="meter-source small muted">
      <Link href={`${policyPath(place)}/options`} className="link">
        {label}
      </Link>
    </span>
  );
}

/** Returns how many CPUs were busy between two measurements. */
function useBusyCpus(usage: Usage | null): number | null {
  const [seen, setSeen] = useState<{ usage: Usage | null; busy: number | null }>({ usage: null, busy: null });
  if (usage && usage.at !== seen.usage?.at) setSeen({ usage, busy: busyCpus(seen.usage, usage) });
  return seen.busy;
}
