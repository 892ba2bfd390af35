// Types of workspaces: limits, usage and self-checks.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type WorkspaceDetail = Schemas["WorkspaceDetailView"];
export type WorkspaceDetailPage = Schemas["WorkspaceDetailPage"];
export type WorkspaceAct = WorkspaceDetail["may"][number];
export type Limit = Schemas["LimitView"];
export type LimitSource = Limit["source"];
export type Gauge = Schemas["GaugeView"];
export type Usage = Schemas["UsageView"];
export type Traffic = Schemas["TrafficView"];
export type SelfCheck = Schemas["SelfCheckView"];
export type CheckItem = Schemas["CheckItemView"];
export type BackgroundCall = Schemas["BackgroundCallView"];
