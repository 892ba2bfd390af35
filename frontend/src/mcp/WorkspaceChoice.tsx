import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { listWorkspaces } from "../api/workspaces";

/** The workspaces of a project, and the one that a person has chosen; at first, the first one. */
export function useWorkspaceChoice(projectId: string | undefined) {
  const found = useQuery({
    queryKey: ["workspaces-of-project", projectId],
    queryFn: () => listWorkspaces({ project: projectId ?? "" }),
    enabled: Boolean(projectId),
  });
  const [chosen, choose] = useState("");
  const workspaces = found.data?.items ?? [];
  return { found, workspaces, id: chosen || workspaces[0]?.id || "", choose };
}

interface WorkspaceChoiceProps {
  choice: ReturnType<typeof useWorkspaceChoice>;
  label: string;
}

export function WorkspaceChoice({ choice, label }: WorkspaceChoiceProps) {
  const id = useId();
  if (!choice.id) return null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={choice.id} onChange={(event) => choice.choose(event.target.value)}>
        {choice.workspaces.map((workspace) => (
          <option key={workspace.id} value={workspace.id}>
            {workspace.name}
          </option>
        ))}
      </select>
    </div>
  );
}
