export const teamPath = (teamId: string, tab?: string): string => `/teams/${teamId}${tab ? `/${tab}` : ""}`;
export const invitationPath = (secret: string): string => `/invitations/${secret}`;
