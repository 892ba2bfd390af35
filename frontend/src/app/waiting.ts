// Requests and questions that wait for this person, in any session.
import type { Me, Project, WaitingQuestion, WaitingRequest } from "../api/types";
import { mayAnswer, mayStart, type Role } from "../permissions/approvers";
import { useMe, useOpenQuestions, useOpenRequests, useProjects } from "./queries";

export interface Waiting {
  requests: WaitingRequest[];
  questions: WaitingQuestion[];
  count: number;
  isPending: boolean;
  error: unknown;
}

/** Whether this person can answer the request: not if only others may, or if it waits for a second person. */
export function waitsFor(request: WaitingRequest, me: Me, projects: readonly Project[]): boolean {
  return mayAnswer(request, { id: me.user.id, role: roleIn(request.project_id, me, projects) }, true).may;
}

/** Whether this person can answer the question: everybody except viewers can. */
export const asksFor = (question: WaitingQuestion, me: Me, projects: readonly Project[]): boolean =>
  mayStart(roleIn(question.project_id, me, projects));

function roleIn(projectId: string, me: Me, projects: readonly Project[]): Role | null {
  const teamId = projects.find((project) => project.id === projectId)?.team_id;
  return me.teams.find((team) => team.id === teamId)?.role ?? null;
}

export function useWaiting(): Waiting {
  const me = useMe().data;
  const projects = useProjects().data?.items ?? [];
  const open = useOpenRequests();
  const requests = (open.data?.items ?? []).filter((request) => !me || waitsFor(request, me, projects));
  const asked = useOpenQuestions();
  const questions = (asked.data?.items ?? []).filter((question) => !me || asksFor(question, me, projects));
  return {
    requests,
    questions,
    count: requests.length + questions.length,
    isPending: open.isPending || asked.isPending,
    error: open.error ?? asked.error,
  };
}
