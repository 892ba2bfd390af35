export const workspacePath = (id: string): string => `/workspaces/${id}`;

/** Path of the workspace list, filtered by project if given. */
export const workspacesPath = (projectId?: string): string =>
  projectId ? `/workspaces?project=${encodeURIComponent(projectId)}` : "/workspaces";
