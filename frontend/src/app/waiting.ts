// Requests and questions that wait for this person, in any session.
import type { Me, Project, WaitingQuestion, WaitingRequest } from "../api/types";
import { mayAnswer } from "../permissions/approvers";
import { useMe, useOpenQuestions, useOpenRequests, useProjects } from "./queries";

export interface Waiting {
  requests: WaitingRequest[];
  questions: WaitingQuestion[];
  count: number;
}

/** Whether this person can answer the request: not if only others may, or if it waits for a second person. */
export function waitsFor(request: WaitingRequest, me: Me, projects: readonly Project[]): boolean {
  const teamId = projects.find((project) => project.id === request.project_id)?.team_id;
  const role = me.teams.find((team) => team.id === teamId)?.role ?? null;
  return mayAnswer(request, { id: me.user.id, role }, true).may;
}

export function useWaiting(): Waiting {
  const me = useMe().data;
  const projects = useProjects().data?.items ?? [];
  const open = useOpenRequests().data?.items ?? [];
  const requests = me ? open.filter((request) => waitsFor(request, me, projects)) : open;
  const questions = useOpenQuestions().data?.items ?? [];
  return { requests, questions, count: requests.length + questions.length };
}
