// Recognises the addresses of the settings area.
const SETTINGS =
  /^\/(?:settings|teams|account|policies|agents|mcp-servers|known-models|configuration|workspaces|projects\/[^/]+\/settings)(?:\/|$)/;

export const isSettingsAddress = (location: string): boolean => SETTINGS.test(location);
