// Operator pages are not part of this app. People who came from one to sign in are sent back to it.
import { prefix } from "../lib/prefix";

/** Returns the operator page that the URL asks to return to; null unless it is on this site. */
export function operatorPageIn(search: string, origin = window.location.origin): string | null {
  const asked = new URLSearchParams(search).get("next") ?? "";
  if (!asked.startsWith(`${prefix}/admin/`)) return null;
  const address = URL.canParse(asked, origin) ? new URL(asked, origin) : null;
  const isOwn = address?.origin === origin && address.pathname.startsWith(`${prefix}/admin/`);
  return isOwn ? `${address.pathname}${address.search}` : null;
}
