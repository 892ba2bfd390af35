import { useEffect, useState } from "react";
import { ApiError } from "../api/http";
import type { WorkspaceDetail } from "../api/workspaceTypes";
import { useAction } from "../ui/useAction";
import type { Act, Action } from "./actions";
import { refreshWorkspaces, showWorkspace } from "./queries";

/** After this time the page says that the action takes long, and enables the buttons again. */
const PATIENCE = 60_000;

interface Asked {
  action: Action;
  before: WorkspaceDetail;
}

export interface Acts {
  /** The action that is running. */
  going: Act | null;
  isLate: boolean;
  error: unknown;
  /** The action that was refused because calls are running; it can be forced. */
  refused: Action | null;
  run: (action: Action, workspace: WorkspaceDetail, force?: boolean) => void;
}

/** Runs one action at a time: sends it and waits until `now` shows that it is done. */
export function useActs(now: WorkspaceDetail | undefined): Acts {
  const { run, error } = useAction();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [answer, setAnswer] = useState<WorkspaceDetail | null>(null);
  const [isLate, setLate] = useState(false);
  const [last, setLast] = useState<Action | null>(null);
  const isDone = asked !== null && answer !== null && !!now && asked.action.isDone(asked.before, now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the action is done
  useEffect(() => {
    if (!isDone || !now) return;
    setAsked(null);
    showWorkspace(now);
  }, [isDone]);
  useEffect(() => {
    if (!asked) return;
    const timer = setTimeout(() => {
      setAsked(null);
      setLate(true);
    }, PATIENCE);
    return () => clearTimeout(timer);
  }, [asked]);
  return {
    going: asked?.action.act ?? null,
    isLate,
    error,
    refused: error instanceof ApiError && error.code === "workspace_busy" ? last : null,
    run: (action, workspace, force = false) => {
      setAsked({ action, before: workspace });
      setLast(action);
      setAnswer(null);
      setLate(false);
      void run(async () => {
        try {
          const next = await action.send(workspace.id, force);
          showWorkspace(next);
          setAnswer(next);
        } catch (problem) {
          setAsked(null);
          if (problem instanceof ApiError && problem.status === 409) refreshWorkspaces();
          throw problem;
        }
      });
    },
  };
}
