// The groups of the navigation of the settings area, in their order.
export const GROUPS = ["people", "agents", "code", "records"] as const;
export type GroupName = (typeof GROUPS)[number];

export const GROUP_LABELS: Readonly<Record<GroupName, string>> = {
  people: "People",
  agents: "Agents and models",
  code: "Code and environments",
  records: "Records",
};
