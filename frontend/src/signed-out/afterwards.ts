// Where somebody was going when they had to confirm their address first: kept in the browser until they arrive.
import { readStored, writeStored } from "../lib/storage";

export const rememberInvitation = (secret: string): void => writeStored("invitation", secret);

/** The invitation that waits to be accepted, once. */
export function takeInvitation(): string | null {
  const secret = readStored("invitation");
  writeStored("invitation", null);
  return secret;
}
