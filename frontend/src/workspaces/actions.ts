// Actions on workspaces: labels, what is lost, and how to see that they are done.

import * as api from "../api/workspaces";
import type { WorkspaceAct, WorkspaceDetail } from "../api/workspaceTypes";
import { plural } from "../lib/format";
import type { IconName } from "../ui/Icon";
import { graceDays } from "./limits";

export type Act = Exclude<WorkspaceAct, "stop_background">;

export interface Action {
  act: Act;
  label: string;
  busy: string;
  icon: IconName;
  /** Sends the action. `force` also interrupts running calls. */
  send: (id: string, force: boolean) => Promise<WorkspaceDetail>;
  /** What is lost and what is kept; missing if nothing is lost. */
  warning?: (workspace: WorkspaceDetail) => { lost: string; kept: string };
  /** Whether `now` shows that the action is done; `before` is the state in which it was sent. */
  isDone: (before: WorkspaceDetail, now: WorkspaceDetail) => boolean;
}

const RESTING_STATES = new Set(["running", "failed", "stopped"]);
/** Whether the workspace changed, as every change of state updates the time of last use. */
const hasMoved = (before: WorkspaceDetail, now: WorkspaceDetail) => before.last_used_at !== now.last_used_at;
const hasSettled = (before: WorkspaceDetail, now: WorkspaceDetail) =>
  RESTING_STATES.has(now.state) && hasMoved(before, now);
const hasFailed = (before: WorkspaceDetail, now: WorkspaceDetail) =>
  now.state === "failed" && hasMoved(before, now);
const COMMANDS_LOST =
  "Running commands are stopped, including background commands, and files in /tmp are lost.";
const FILES_KEPT = "Files in the workspace and its home directory are kept.";

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
    warning: () => ({ lost: COMMANDS_LOST, kept: `${FILES_KEPT} The next tool call starts it again.` }),
    isDone: (_before, now) => now.state !== "running" && now.state !== "starting",
  },
  {
    act: "restart",
    label: "Restart",
    busy: "Restarting",
    icon: "retry",
    send: api.restartWorkspace,
    warning: () => ({ lost: COMMANDS_LOST, kept: FILES_KEPT }),
    isDone: hasSettled,
  },
  {
    act: "rebuild",
    label: "Rebuild",
    busy: "Rebuilding",
    icon: "box",
    send: api.rebuildWorkspace,
    warning: () => ({
      lost: `${COMMANDS_LOST} The container is recreated from the image, with the current limits.`,
      kept: FILES_KEPT,
    }),
    isDone: hasSettled,
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
    label: "Create archive",
    busy: "Creating archive",
    icon: "down",
    send: api.exportWorkspace,
    isDone: (before, now) => now.archive?.at !== before.archive?.at,
  },
  {
    act: "keep",
    label: "Cancel deletion",
    busy: "Cancelling deletion",
    icon: "check",
    send: api.cancelWorkspaceDeletion,
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

/** Warning before a deletion, which can be undone only if there is a grace period. */
function removal({ limits, session_count }: WorkspaceDetail) {
  const days = graceDays(limits);
  const what = `Its files and its home directory. ${COMMANDS_LOST}`;
  const stays = session_count > 0 ? `Its ${plural(session_count, "session")} can still be read.` : "";
  const undo =
    days > 0
      ? `You can cancel the deletion for ${plural(days, "day")}; nothing is deleted until then.`
      : "It cannot be undone.";
  return { lost: what, kept: `${undo} ${stays}`.trim() };
}

export const actionOf = (act: Act): Action => ACTIONS.find((item) => item.act === act) as Action;
