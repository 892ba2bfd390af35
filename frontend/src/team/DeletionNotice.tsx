import { Icon } from "../ui/Icon";
import type { Team } from "./tabProps";

/** Notice that the team is being deleted. Owners can cancel the deletion until then. */
export function DeletionNotice({ team, until }: { team: Team; until: string }) {
  const day = new Date(until).toLocaleDateString(undefined, { dateStyle: "medium" });
  return (
    <p className="deletion-note note waiting flex align-baseline" role="status">
      <Icon name="trash" size={14} />
      <span>
        This team is being deleted on {day}.{" "}
        {team.role === "owner"
          ? "You can cancel the deletion in the settings."
          : "Its owners can still cancel the deletion."}
      </span>
    </p>
  );
}
