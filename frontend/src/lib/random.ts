/** A random key; `crypto.randomUUID` exists only on secure origins, and a site may be plain http in a LAN. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
