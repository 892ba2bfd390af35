export const projectSettingsPath = (projectId: string, tab?: string): string =>
  `/projects/${projectId}/settings${tab ? `/${tab}` : ""}`;

/** The state of the browser's history with which the page of a project opens that was created just now. */
export const JUST_MADE = "just made";
