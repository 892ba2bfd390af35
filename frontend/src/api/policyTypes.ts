// Types of policies, decisions, grants and the audit log.
import type { components } from "./schema";
import type { PermissionRequest, Reason } from "./types";

type Schemas = components["schemas"];

export type Action = Reason["action"];
export type Rule = Schemas["RuleView"];
export type Grant = Schemas["GrantView"];
export type ProjectNetwork = Schemas["NetworkView"];
export type RefusedHost = Schemas["RefusedHostView"];
export type Approvers = PermissionRequest["approvers"];

export type Policy = Schemas["PolicyView"];
/** The content of a policy, without its author and time. */
export type PolicyDocument = Pick<Policy, "preset" | "rules" | "enforced" | "options" | "expectations">;
export type Preset = Policy["preset"];
export type Options = Policy["options"];
export type SandboxOptions = Options["sandbox"];
export type Incomplete = NonNullable<Options["incomplete_commands"]>;
export type Granter = NonNullable<Options["always"]["session"]>;
export type Loosenable = Options["loosenable"][number];
export type Expectation = Policy["expectations"][number];

export type PolicyVersion = Schemas["PolicyVersionView"];
export type CheckedExpectation = Schemas["ExpectationView"];
export type Simulation = Schemas["SimulationView"];
export type SimulatedChange = Schemas["ChangedCallView"];
export type PresetView = Schemas["PresetView"];

export type Match = Schemas["MatchView"];
export type WhyDecision = Schemas["WhyDecision"];
export type ShellAnalysis = Schemas["ShellAnalysisView"];
export type Explanation = Schemas["Explanation"];
export type ExplainQuestion = Partial<Schemas["ExplainQuestion"]>;
export type Versions = Schemas["VersionsView"];
export type SessionRules = Schemas["SessionRulesView"];
export type LayerRules = Schemas["LayerView"];

export type AuditEntry = Schemas["AuditEntryView"];
export type AuditRetention = Schemas["AuditRetention"];
export type AuditCheck = Schemas["AuditVerification"];
