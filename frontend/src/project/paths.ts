export const projectSettingsPath = (projectId: string, tab?: string): string =>
  `/projects/${projectId}/settings${tab ? `/${tab}` : ""}`;
