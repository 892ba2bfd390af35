// The pages of operators are not part of this app: who was sent here from them to sign in goes back there.
import { prefix } from "../lib/prefix";

/** The page that the address of this one asks for, if it is one of the operators' on this very site. */
export function operatorPageIn(search: string, origin = window.location.origin): string | null {
  const asked = new URLSearchParams(search).get("next") ?? "";
  if (!asked.startsWith(`${prefix}/admin/`)) return null;
  const address = URL.canParse(asked, origin) ? new URL(asked, origin) : null;
  const isOwn = address?.origin === origin && address.pathname.startsWith(`${prefix}/admin/`);
  return isOwn ? `${address.pathname}${address.search}` : null;
}
