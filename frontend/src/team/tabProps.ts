// Types shared by the team page and its tabs.
import type { Me } from "../api/types";

export type Team = Me["teams"][number];

export interface TeamTabProps {
  team: Team;
}
