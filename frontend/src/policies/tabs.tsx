import type { Policy } from "../api/policyTypes";
import { GrantList } from "../permissions/GrantList";
import type { PlaceKind } from "./document";
import type { PolicyEditing } from "./draft";
import { Expectations } from "./Expectations";
import { ExplainBox } from "./ExplainBox";
import { OptionsForm } from "./OptionsForm";
import type { PlaceContext } from "./places";
import { RulesTab } from "./RulesTab";
import { Simulator } from "./Simulator";
import { Versions } from "./Versions";

const ALL_TABS = ["rules", "options", "expectations", "simulator", "why", "versions", "grants"] as const;
export type PolicyTab = (typeof ALL_TABS)[number];

export const TAB_LABELS: Record<PolicyTab, string> = {
  rules: "Rules",
  options: "Options",
  expectations: "Expectations",
  simulator: "Simulator",
  why: "Why",
  versions: "Versions",
  grants: "Grants",
};

/** The tabs of a place. The site has no grants. */
export const tabsOf = (kind: PlaceKind): PolicyTab[] =>
  ALL_TABS.filter((name) => kind !== "site" || name !== "grants");

interface TabBodyProps {
  tab: PolicyTab;
  policy: Policy;
  editing: PolicyEditing;
  context: PlaceContext;
}

export function TabBody({ tab, policy, editing, context }: TabBodyProps) {
  const { kind, place } = context.here;
  switch (tab) {
    case "rules":
      return <RulesTab policy={policy} editing={editing} kind={kind} />;
    case "options":
      return <OptionsForm policy={policy} editing={editing} kind={kind} places={context.places} />;
    case "expectations":
      return <Expectations policy={policy} editing={editing} />;
    case "simulator":
      return <Simulator policy={policy} editing={editing} />;
    case "why":
      return <ExplainBox projectId={context.projectId} />;
    case "versions":
      return <Versions policy={policy} />;
    case "grants":
      return <GrantList place={{ of: kind === "team" ? "team" : "project", id: place }} />;
  }
}
