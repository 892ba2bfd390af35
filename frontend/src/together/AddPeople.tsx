import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../api/http";
import { useProject } from "../app/queries";
import { shownName } from "../permissions/approvers";
import { OptionList } from "../ui/OptionList";
import "./search.css";

interface AddPeopleProps {
  projectId: string;
  known: readonly string[];
  onAdd: (id: string) => Promise<boolean>;
}

const listMembers = (teamId: string) =>
  body(
    api.GET("/api/v1/teams/{team_id}/members", {
      params: { path: { team_id: teamId }, query: { limit: 100 } },
    }),
  );

/** Adds a member of the team who cannot see the session yet. */
export function AddPeople({ projectId, known, onAdd }: AddPeopleProps) {
  const teamId = useProject(projectId || undefined).data?.team_id;
  const members = useQuery({
    queryKey: ["members-to-add", teamId],
    queryFn: () => listMembers(teamId as string),
    enabled: !!teamId,
  });
  const [chosen, setChosen] = useState("");
  const people = (members.data?.items ?? [])
    .map((member) => member.user)
    .filter((user) => !known.includes(user.id));
  if (people.length === 0) return <p className="muted">Everybody in the team has been added.</p>;
  return (
    <div className="add-people cluster">
      <select aria-label="Person to add" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        <option value="">Choose a person</option>
        <OptionList of={people.map((person) => [person.id, shownName(person)])} />
      </select>
      <button
        type="button"
        className="button"
        disabled={!chosen}
        onClick={() => {
          void onAdd(chosen);
          setChosen("");
        }}
      >
        Add
      </button>
    </div>
  );
}
