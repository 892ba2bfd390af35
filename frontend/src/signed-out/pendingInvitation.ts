// Remembers an invitation in the browser while the person confirms their e-mail address.
import { readStored, writeStored } from "../lib/storage";

export const rememberInvitation = (secret: string): void => writeStored("invitation", secret);

/** Returns the remembered invitation and forgets it. */
export function takeInvitation(): string | null {
  const secret = readStored("invitation");
  writeStored("invitation", null);
  return secret;
}
