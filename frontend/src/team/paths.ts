export const teamPath = (teamId: string, tab?: string): string => `/teams/${teamId}${tab ? `/${tab}` : ""}`;
