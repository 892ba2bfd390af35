import type { IssuedInvitation } from "../api/teams";
import { ShownOnce } from "../ui/ShownOnce";

/** The link of an invitation, which is shown this once. */
export function IssuedLink({ issued, onClose }: { issued: IssuedInvitation; onClose: () => void }) {
  return (
    <ShownOnce label="Link of the invitation" value={issued.link} testId="issued-link" onClose={onClose}>
      <strong>{issued.email}</strong> was sent a link by e-mail. You can hand over this one yourself; it is
      not shown again.
    </ShownOnce>
  );
}
