export const workspacePath = (id: string): string => `/workspaces/${id}`;

/** The list, of one project where it is given. */
export const workspacesPath = (projectId?: string): string =>
  projectId ? `/workspaces?project=${encodeURIComponent(projectId)}` : "/workspaces";
