// The project whose sessions the rail lists: that of the page, else the last one; null for all projects.
import { useEffect } from "react";
import { useRoute } from "wouter";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { useSession } from "../app/queries";

const scopeStore = createStore<{ projectId: string | null }>(() => ({ projectId: null }));

/** The session on screen, from the address. */
export function useShownSession(): string | undefined {
  const [isSession, params] = useRoute("/sessions/:id/*?");
  return isSession ? params.id : undefined;
}

/** Follows the address: a project or session sets the scope, Home resets it, other pages keep it. */
export function useScope(): string | null {
  const sessionId = useShownSession();
  const ofSession = useSession(sessionId).data?.project_id;
  const [isProject, project] = useRoute("/projects/:id/*?");
  const [isHome] = useRoute("/");
  const wanted = isHome ? null : isProject ? project.id : ofSession;
  const kept = useStore(scopeStore, (state) => state.projectId);
  useEffect(() => {
    if (wanted !== undefined) scopeStore.setState({ projectId: wanted });
  }, [wanted]);
  return wanted === undefined ? kept : wanted;
}
