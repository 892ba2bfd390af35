/** The URL prefix under which the site lives ("" or "/tools/agents"); the server writes it into index.html. */
export const prefix = (
  document.querySelector<HTMLMetaElement>('meta[name="agentsite-prefix"]')?.content ?? ""
).replace(/\/+$/, "");

export const atPrefix = (path: string): string => `${prefix}${path}`;

export function socketAddress(path: string): string {
  const { protocol, host } = window.location;
  return `${protocol === "https:" ? "wss:" : "ws:"}//${host}${atPrefix(path)}`;
}
