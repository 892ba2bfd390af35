import type { IssuedInvitation } from "../api/teams";
import { OneTimeSecret } from "../ui/OneTimeSecret";

/** The link of a new invitation, which is shown only once. */
export function IssuedLink({ issued, onClose }: { issued: IssuedInvitation; onClose: () => void }) {
  return (
    <OneTimeSecret label="Invitation link" value={issued.link} testId="issued-link" onClose={onClose}>
      <strong>{issued.email}</strong> was sent this link by e-mail. You can also pass it on yourself. It is
      not shown again.
    </OneTimeSecret>
  );
}
