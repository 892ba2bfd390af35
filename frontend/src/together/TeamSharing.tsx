import "../styles/access.css";
import type { TeamTabProps } from "../team/tabs";
import { OperatorAccesses } from "./OperatorAccesses";
import { TeamLinks } from "./TeamLinks";
import { TeamPrivateSessions } from "./TeamPrivateSessions";

/** What of the team is read with links, and which sessions not everybody sees, and who from outside does. */
export function TeamSharing({ team }: TeamTabProps) {
  return (
    <>
      <TeamLinks team={team} />
      <TeamPrivateSessions team={team} />
      <OperatorAccesses team={team} />
    </>
  );
}
