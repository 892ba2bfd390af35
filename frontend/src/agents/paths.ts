export const agentsPath = (place: string): string => `/agents/${place}`;
/** Names may have slashes; they stay parts of the path. */
export const agentPath = (place: string, name: string): string => `/agents/${place}/${encodeURI(name)}`;
/** No agent can be called so. */
export const NEW = "+new";
export const newAgentPath = (place: string): string => `/agents/${place}/${NEW}`;
