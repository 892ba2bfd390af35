import { useEffect, useState } from "react";
import { ApiError, hasCode } from "../api/http";
import type { WorkspaceDetail } from "../api/workspaceTypes";
import { useAction } from "../ui/useAction";
import type { Act, Action } from "./actions";
import { refreshWorkspaces, showWorkspace } from "./queries";

/** After this time the page says that the action takes long, and enables the buttons again. */
const SLOW_AFTER_MS = 60_000;

interface PendingAction {
  action: Action;
  before: WorkspaceDetail;
}

export interface WorkspaceActions {
  /** The action that is running. */
  running: Act | null;
  isLate: boolean;
  error: unknown;
  /** The action that was refused because calls are running; it can be forced. */
  refused: Action | null;
  run: (action: Action, workspace: WorkspaceDetail, force?: boolean) => void;
}

/** Runs one action at a time: sends it and waits until `now` shows that it is done. */
export function useWorkspaceActions(now: WorkspaceDetail | undefined): WorkspaceActions {
  const { run, error } = useAction();
  const [pending, setPending] = useState<PendingAction | null>(null);
  const [answer, setAnswer] = useState<WorkspaceDetail | null>(null);
  const [isLate, setLate] = useState(false);
  const [last, setLast] = useState<Action | null>(null);
  const isDone = pending !== null && answer !== null && !!now && pending.action.isDone(pending.before, now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the action is done
  useEffect(() => {
    if (!isDone || !now) return;
    setPending(null);
    showWorkspace(now);
  }, [isDone]);
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => {
      setPending(null);
      setLate(true);
    }, SLOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [pending]);
  return {
    running: pending?.action.act ?? null,
    isLate,
    error,
    refused: hasCode(error, "workspace_busy") ? last : null,
    run: (action, workspace, force = false) => {
      setPending({ action, before: workspace });
      setLast(action);
      setAnswer(null);
      setLate(false);
      void run(async () => {
        try {
          const next = await action.send(workspace.id, force);
          showWorkspace(next);
          setAnswer(next);
        } catch (problem) {
          setPending(null);
          if (problem instanceof ApiError && problem.status === 409) refreshWorkspaces();
          throw problem;
        }
      });
    },
  };
}
