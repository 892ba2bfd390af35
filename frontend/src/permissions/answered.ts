// Passes an answer from any card to the open session before its event arrives.
import { createStore } from "zustand/vanilla";
import type { PermissionRequest, Question } from "../api/types";

export interface Answered {
  request: PermissionRequest | null;
  question: Question | null;
  publish: (request: PermissionRequest) => void;
  publishQuestion: (question: Question) => void;
}

export const answered = createStore<Answered>((set) => ({
  request: null,
  question: null,
  publish: (request) => set({ request }),
  publishQuestion: (question) => set({ question }),
}));
