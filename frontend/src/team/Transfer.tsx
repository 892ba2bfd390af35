import { useState } from "react";
import { transferOwnership } from "../api/teams";
import { useMe } from "../app/queries";
import { shownName } from "../permissions/approvers";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { OptionList } from "../ui/OptionList";
import { refreshMembers, refreshOwnTeams, useMembers } from "./queries";
import type { Team } from "./tabProps";

/** Transfers ownership to another member. The current owner becomes an admin. */
export function Transfer({ team }: { team: Team }) {
  const members = useMembers(team.id);
  const me = useMe().data?.user.id;
  const [chosen, setChosen] = useState("");
  const [asking, setAsking] = useState(false);
  const others = (members.data?.pages.flatMap((page) => page.items) ?? []).filter(
    (member) => member.user.id !== me && !member.is_service,
  );
  const target = others.find((member) => member.id === chosen);
  const transfer = async () => {
    await transferOwnership(team.id, chosen);
    await refreshMembers(team.id);
    await refreshOwnTeams();
  };
  return (
    <section className="settings-section stack items-start ruled-top" aria-label="Transfer ownership">
      <h2>Transfer ownership</h2>
      <p className="muted">The new owner replaces you, and you become an admin.</p>
      {others.length === 0 ? (
        <p className="muted">There are no other members yet.</p>
      ) : (
        <div className="line gap-12">
          <select aria-label="New owner" value={chosen} onChange={(event) => setChosen(event.target.value)}>
            <option value="">Choose a person</option>
            <OptionList of={others.map((member) => [member.id, shownName(member.user)])} />
          </select>
          <button type="button" className="button" disabled={!target} onClick={() => setAsking(true)}>
            Transfer…
          </button>
        </div>
      )}
      <ConfirmDialog
        open={asking}
        title={`Transfer ${team.name}?`}
        verb="Transfer"
        onConfirm={transfer}
        onClose={() => setAsking(false)}
      >
        <p>
          {target ? shownName(target.user) : "The person"} will own the team. You will be an admin, and only
          an owner can make you an owner again.
        </p>
      </ConfirmDialog>
    </section>
  );
}
