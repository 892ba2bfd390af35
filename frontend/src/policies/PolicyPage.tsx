import { useLocation } from "wouter";
import { ApiError } from "../api/http";
import type { Policy } from "../api/policyTypes";
import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";
import { formatAgo } from "../lib/format";
import { NotFound } from "../pages/NotFound";
import { shownName } from "../permissions/approvers";
import { useLevelAt } from "../settings/levels";
import { SettingsFrame } from "../settings/SettingsFrame";
import { Problem, Skeleton } from "../ui/Notice";
import { Tabs } from "../ui/Tabs";
import { DraftBar } from "./DraftBar";
import { useDraft } from "./draft";
import { NewerVersion } from "./NewerVersion";
import { PlaceBreadcrumb } from "./PlaceBreadcrumb";
import { policyPath } from "./paths";
import { PermissionNames } from "./permissions";
import { type PlaceContext, placeTitle, usePlaceContext } from "./places";
import { usePolicy } from "./queries";
import { type PolicyTab, TAB_LABELS, TabBody, tabsOf } from "./tabs";

export function PolicyPage({ place, tab }: { place: string; tab: string | undefined }) {
  const context = usePlaceContext(place);
  const policy = usePolicy(place);
  const level = useLevelAt(place);
  useTabTitle(placeTitle(context.here), useWaiting().count);
  if (policy.error instanceof ApiError && policy.error.status === 404) return <NotFound what="policy" />;
  return (
    <SettingsFrame level={level} current="policy" columnClass="with-bar">
      <PlaceBreadcrumb context={context} label="Policy levels" pathOf={policyPath} />
      <h1>{placeTitle(context.here)}</h1>
      {policy.isPending && <Skeleton rows={8} label="Loading the policy" />}
      {policy.error && !policy.data && <Problem error={policy.error} onRetry={policy.refetch} />}
      {policy.data && <Loaded key={place} policy={policy.data} context={context} requestedTab={tab} />}
    </SettingsFrame>
  );
}

interface LoadedProps {
  policy: Policy;
  context: PlaceContext;
  requestedTab: string | undefined;
}

function Loaded({ policy, context, requestedTab }: LoadedProps) {
  const [, go] = useLocation();
  const editing = useDraft(policy);
  const names = tabsOf(context.here.kind);
  const tab: PolicyTab = names.find((name) => name === requestedTab) ?? "rules";
  return (
    <>
      <p className="policy-version muted" data-testid="policy-version">
        {versionText(policy)}
      </p>
      {!policy.can_edit && (
        <p className="read-only note" data-testid="read-only">
          You can view this policy. {EDITORS[context.here.kind]} can change it.
        </p>
      )}
      {editing.isBehind && <NewerVersion policy={policy} editing={editing} />}
      <Tabs
        label="About this policy"
        tabs={names.map((name) => ({ name, label: TAB_LABELS[name] }))}
        selected={tab}
        onSelect={(name) => go(`${policyPath(policy.place)}/${name}`, { replace: true })}
      >
        <TabBody tab={tab} policy={policy} editing={editing} context={context} />
      </Tabs>
      <PermissionNames />
      {policy.can_edit && <DraftBar policy={policy} editing={editing} />}
    </>
  );
}

const EDITORS = {
  site: "Only operators of the site",
  team: "Only admins of the team",
  project: "Only admins of the team",
} as const;

function versionText(policy: Policy): string {
  if (policy.version === 0) {
    const rest = policy.place === "site" ? "The built-in preset applies." : "The inherited policies apply.";
    return `No version saved yet. ${rest}`;
  }
  const by = policy.author ? ` by ${shownName(policy.author)}` : "";
  const when = policy.created_at ? `, ${formatAgo(policy.created_at)}` : "";
  const why = policy.reason ? `: ${policy.reason}` : "";
  return `Version ${policy.version}${by}${when}${why}`;
}
