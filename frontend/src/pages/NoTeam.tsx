import { useMe } from "../app/queries";
import { open } from "../app/shellStore";
import { Icon } from "../ui/Icon";
import "./pages.css";

/** Hint on the home page for a person without a team. */
export function NoTeam() {
  const me = useMe().data;
  if (!me || me.teams.length > 0) return null;
  return (
    <section className="first-steps stack gap-12 muted" aria-label="First steps">
      <p>
        You are not in a team yet. Projects, sessions and agents belong to teams. To join one, open the link
        of an invitation sent to <strong>{me.user.email}</strong>.
      </p>
      {me.can_create_teams && (
        <p>
          <button type="button" className="button primary" onClick={() => open("newTeam")}>
            <Icon name="plus" size={14} /> Create a team{" "}
          </button>
        </p>
      )}
    </section>
  );
}
