// Everything that waits for this person, in any session.
import type { Elsewhere, PermissionRequest, Question } from "../api/types";
import { useOpenQuestions, useOpenRequests } from "./queries";

export interface Waiting {
  requests: Elsewhere<PermissionRequest>[];
  questions: Elsewhere<Question>[];
  count: number;
}

export function useWaiting(): Waiting {
  const requests = useOpenRequests().data?.items ?? [];
  const questions = useOpenQuestions().data?.items ?? [];
  return { requests, questions, count: requests.length + questions.length };
}
