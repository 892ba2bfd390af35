// Types shared by the project settings page and its tabs.
import type { Project } from "../api/types";

export interface ProjectTabProps {
  project: Project;
  /** Whether the person can change the tab's settings. The server checks it again. */
  mayChange: boolean;
}
