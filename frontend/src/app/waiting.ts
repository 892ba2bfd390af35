// Everything that waits for this person, in any session.
import type { WaitingQuestion, WaitingRequest } from "../api/types";
import { useOpenQuestions, useOpenRequests } from "./queries";

export interface Waiting {
  requests: WaitingRequest[];
  questions: WaitingQuestion[];
  count: number;
}

export function useWaiting(): Waiting {
  const requests = useOpenRequests().data?.items ?? [];
  const questions = useOpenQuestions().data?.items ?? [];
  return { requests, questions, count: requests.length + questions.length };
}
