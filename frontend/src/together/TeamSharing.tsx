import type { TeamTabProps } from "../team/tabProps";
import { OperatorAccesses } from "./OperatorAccesses";
import { TeamLinks } from "./TeamLinks";
import { TeamPrivateSessions } from "./TeamPrivateSessions";

/** Share links, private sessions and operator access of a team. */
export function TeamSharing({ team }: TeamTabProps) {
  return (
    <>
      <TeamLinks team={team} />
      <TeamPrivateSessions team={team} />
      <OperatorAccesses team={team} />
    </>
  );
}
