import { Icon } from "../ui/Icon";
import type { Team } from "./tabs";

/** The team is out of use; until then an owner can keep it. */
export function Leaving({ team, until }: { team: Team; until: string }) {
  const day = new Date(until).toLocaleDateString(undefined, { dateStyle: "medium" });
  return (
    <p className="team-leaving" role="status">
      <Icon name="trash" size={14} />
      <span>
        This team is being deleted on {day}.{" "}
        {team.role === "owner" ? "You can still keep it, in its settings." : "Its owners can still keep it."}
      </span>
    </p>
  );
}
