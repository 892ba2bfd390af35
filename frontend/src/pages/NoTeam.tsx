import { createTeam } from "../api/teams";
import { useMe } from "../app/queries";
import { refreshOwnTeams } from "../team/queries";
import { NameForm } from "../ui/NameForm";
import "./pages.css";

/** First step on the home page for a person without a team: create one, or wait for an invitation. */
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
        <div className="boxed">
          <NameForm
            verb="Create team"
            label="Name of a new team"
            onName={async (name) => {
              await createTeam(name);
              await refreshOwnTeams();
            }}
          />
        </div>
      )}
    </section>
  );
}
