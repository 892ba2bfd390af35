export const policyPath = (place: string): string => `/policies/${place}`;
export const auditPath = (teamId: string): string => `/teams/${teamId}/audit`;
