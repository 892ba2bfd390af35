export const accountPath = (tab?: string): string => `/account${tab ? `/${tab}` : ""}`;
