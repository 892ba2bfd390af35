import type { Connection } from "../api/repositories";
import { CopyField } from "../ui/CopyField";

/** The public key of a connection by SSH, to register at the server, and what is known of the server's own key. */
export function DeployKey({ connection }: { connection: Connection }) {
  if (!connection.public_key) return null;
  return (
    <div className="stack gap-6">
      <p className="muted">
        Register this key at the server as a deploy key, with write access if sessions are to push. Then test
        the connection.
      </p>
      <CopyField label="Public key" value={connection.public_key} testId="deploy-key" />
      {connection.host_fingerprint && (
        <p className="muted break-anywhere">Host key of the server: {connection.host_fingerprint}</p>
      )}
    </div>
  );
}
