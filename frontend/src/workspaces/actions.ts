// What can be done to a workspace: its words, what it costs, and how one sees that it is done.

import * as api from "../api/workspaces";
import type { WorkspaceAct, WorkspaceDetail } from "../api/workspaceTypes";
import { plural } from "../lib/format";
import type { IconName } from "../ui/Icon";
import { keepDays } from "./limits";

export type Act = Exclude<WorkspaceAct, "stop_background">;

export interface Action {
  act: Act;
  label: string;
  busy: string;
  icon: IconName;
  /** `force`: also where it would interrupt calls that run. */
  send: (id: string, force: boolean) => Promise<WorkspaceDetail>;
  /** What is lost and what is kept, before it is done; nothing where nothing is lost. */
  warning?: (workspace: WorkspaceDetail) => { lost: string; kept: string };
  /** Whether `now` shows that it is done, when it was asked for in the state `before`. */
  isDone: (before: WorkspaceDetail, now: WorkspaceDetail) => boolean;
}

const RESTS = new Set(["running", "failed", "stopped"]);
/** Every change of the state is a use of it. */
const hasMoved = (before: WorkspaceDetail, now: WorkspaceDetail) => before.last_used_at !== now.last_used_at;
const cameToRest = (before: WorkspaceDetail, now: WorkspaceDetail) =>
  RESTS.has(now.state) && hasMoved(before, now);
const hasFailed = (before: WorkspaceDetail, now: WorkspaceDetail) =>
  now.state === "failed" && hasMoved(before, now);
const ENDS = "Running commands end, those in the background too, and what is in /tmp is lost.";
const FILES = "Files in the workspace and in its home are kept.";

export const ACTIONS: readonly Action[] = [
  {
    act: "start",
    label: "Start",
    busy: "Starting",
    icon: "play",
    send: api.startWorkspace,
    isDone: (before, now) => now.state === "running" || hasFailed(before, now),
  },
  {
    act: "stop",
    label: "Stop",
    busy: "Stopping",
    icon: "stop",
    send: api.stopWorkspace,
    warning: () => ({ lost: ENDS, kept: `${FILES} The next call of an agent starts it again.` }),
    isDone: (_before, now) => now.state !== "running" && now.state !== "starting",
  },
  {
    act: "restart",
    label: "Restart",
    busy: "Restarting",
    icon: "retry",
    send: api.restartWorkspace,
    warning: () => ({ lost: ENDS, kept: FILES }),
    isDone: cameToRest,
  },
  {
    act: "rebuild",
    label: "Rebuild",
    busy: "Rebuilding",
    icon: "box",
    send: api.rebuildWorkspace,
    warning: () => ({
      lost: `${ENDS} The container is made anew from the image, with the limits that hold now.`,
      kept: FILES,
    }),
    isDone: cameToRest,
  },
  {
    act: "check",
    label: "Check",
    busy: "Checking",
    icon: "shield",
    send: api.checkWorkspace,
    isDone: (before, now) => now.self_check?.at !== before.self_check?.at || hasFailed(before, now),
  },
  {
    act: "export",
    label: "Save an archive",
    busy: "Saving an archive",
    icon: "down",
    send: api.exportWorkspace,
    isDone: (before, now) => now.archive?.at !== before.archive?.at,
  },
  {
    act: "keep",
    label: "Keep it",
    busy: "Keeping it",
    icon: "check",
    send: api.keepWorkspace,
    isDone: (_before, now) => now.state !== "removing",
  },
  {
    act: "remove",
    label: "Delete",
    busy: "Deleting",
    icon: "trash",
    send: api.removeWorkspace,
    warning: removal,
    isDone: (_before, now) => now.state === "removing",
  },
];

/** With days of grace it can be undone; without, never. */
function removal({ limits, session_count }: WorkspaceDetail) {
  const days = keepDays(limits);
  const what = `Its files and its home. ${ENDS}`;
  const stays =
    session_count > 0 ? `What was said in its ${plural(session_count, "session")} can still be read.` : "";
  const undo =
    days > 0
      ? `It can be undone for ${plural(days, "day")}: until then nothing is deleted.`
      : "It cannot be undone.";
  return { lost: what, kept: `${undo} ${stays}`.trim() };
}

export const actionOf = (act: Act): Action => ACTIONS.find((item) => item.act === act) as Action;
