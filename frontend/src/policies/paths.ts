export const policyPath = (place: string, tab?: string): string =>
  `/policies/${place}${tab ? `/${tab}` : ""}`;
export const auditPath = (teamId: string): string => `/teams/${teamId}/audit`;
