import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readProjectRepository } from "../api/repositories";
import type { Project } from "../api/types";
import { readProjectFiles } from "../api/uploads";
import { repositoryKey } from "../repositories/kinds";
import { useWorkspaces } from "../workspaces/queries";
import { NEW_WORKSPACE, type TaskOptions } from "./options";

const MAX_WORKSPACES = 8;

/** What the person chose for one project. */
interface Kept {
  projectId: string;
  chosen: Partial<TaskOptions>;
}

/**
 * The options of the next task in a project. A task gets a workspace of its own where new workspaces start with files;
 * elsewhere it continues in the newest one, as a new one would be empty.
 */
export function useTaskOptions(project: Project) {
  const repository = useQuery({
    queryKey: repositoryKey(project.id),
    queryFn: () => readProjectRepository(project.id),
    staleTime: 60_000,
  }).data?.repository;
  const upload = useQuery({
    queryKey: ["projects", project.id, "files"],
    queryFn: () => readProjectFiles(project.id),
    staleTime: 60_000,
  }).data?.upload;
  const listed = useWorkspaces({ project: project.id }).data?.pages.flatMap((page) => page.items) ?? [];
  const workspaces = listed.filter(({ state }) => state !== "removing").slice(0, MAX_WORKSPACES);
  const [kept, setKept] = useState<Kept>({ projectId: project.id, chosen: {} });
  const chosen = kept.projectId === project.id ? kept.chosen : {};
  const startsWithFiles = !!repository || !!upload || !!project.suggested_prompt;
  const usual = startsWithFiles ? NEW_WORKSPACE : (workspaces[0]?.id ?? NEW_WORKSPACE);
  const options: TaskOptions = {
    workspace: usual,
    ref: "",
    folder: "",
    agent: "",
    model: "",
    effort: "",
    isPrivate: false,
    ...chosen,
  };
  const change = (next: Partial<TaskOptions>) =>
    setKept({ projectId: project.id, chosen: { ...chosen, ...next } });
  return { options, change, workspaces, repository: repository ?? null };
}
