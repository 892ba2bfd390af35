export const agentsPath = (place: string): string => `/agents/${place}`;
/** Slashes in names stay slashes in the path. */
export const agentPath = (place: string, name: string): string => `/agents/${place}/${encodeURI(name)}`;
/** Not a valid agent name, so it cannot clash with one. */
export const NEW_AGENT_NAME = "+new";
export const newAgentPath = (place: string): string => `/agents/${place}/${NEW_AGENT_NAME}`;
