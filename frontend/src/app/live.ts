// Refreshes lists when the person's stream reports changes, sets the tab title and shows browser
// notifications.
import { useEffect } from "react";
import { createStore } from "zustand/vanilla";
import type { Notice } from "../api/frames";
import type { Me, Session } from "../api/types";
import { atPrefix } from "../lib/prefix";
import { readStored, writeStored } from "../lib/storage";
import { connectMe } from "../store/me";
import {
  keys,
  markSignedOut,
  queryClient,
  refreshOutdatedSessions,
  refreshSessions,
  refreshWaiting,
} from "./queries";

export const notifyStore = createStore<{ on: boolean }>(() => ({ on: readStored("notify") === "on" }));

/** Whether the end of one's own work is notified, too. On this device only, like the rest. */
export const notifyDoneStore = createStore<{ on: boolean }>(() => ({
  on: readStored("notify-done") === "on",
}));

export function setNotifyDone(on: boolean): void {
  writeStored("notify-done", on ? "on" : null);
  notifyDoneStore.setState({ on });
}

export const canNotify = (): boolean => "Notification" in window && Notification.permission !== "denied";

/** Turns notifications on or off. Asks for the browser's permission when they are turned on. */
export async function setNotify(on: boolean): Promise<void> {
  const allowed = on && "Notification" in window && (await Notification.requestPermission()) === "granted";
  writeStored("notify", allowed ? "on" : null);
  notifyStore.setState({ on: allowed });
}

/** The notification of a notice; null if it asks for nothing. */
function notificationOf(notice: Notice): { title: string; body: string } | null {
  if (notice.kind === "permission.asked")
    return { title: "An agent needs your permission", body: notice.data.title };
  if (notice.kind === "question.asked")
    return { title: "An agent has a question for you", body: notice.data.questions[0]?.question ?? "" };
  if (notice.kind === "session.updated" && hasEnded(notice.data))
    return { title: "The work in your session has ended", body: notice.data.title };
  return null;
}

const working = new Set<string>();

/** Notes whether a session works. True if it is one's own, worked when it was last heard of, and works no more. */
function hasEnded(session: Session): boolean {
  const worked = working.delete(session.id);
  if (session.status !== "idle") working.add(session.id);
  const me = queryClient.getQueryData<Me | null>(keys.me)?.user.id;
  const isOwn = session.parent_id === null && me !== undefined && session.created_by?.id === me;
  return worked && session.status === "idle" && isOwn && notifyDoneStore.getState().on;
}

function notify(notice: Notice): void {
  const notification = notificationOf(notice);
  if (!notification || !notifyStore.getState().on || document.visibilityState === "visible") return;
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const { title, body } = notification;
  const shown = new Notification(title, { body, tag: notice.session_id, icon: atPrefix("/static/mark.svg") });
  shown.onclick = () => {
    window.focus();
    window.history.pushState(null, "", atPrefix(`/sessions/${notice.session_id}`));
    shown.close();
  };
}

function receive(notice: Notice): void {
  if (notice.kind === "budget.updated") {
    void queryClient.invalidateQueries({ queryKey: ["budgets"] });
    return;
  }
  refreshSessions();
  if (notice.kind.startsWith("permission.") || notice.kind.startsWith("question.")) refreshWaiting();
}

/** Debounces session updates, so that many notices cause one refresh. */
function debounced(action: (notice: Notice) => void, wait: number): (notice: Notice) => void {
  let quiet: ReturnType<typeof setTimeout> | undefined;
  return (notice) => {
    if (notice.kind !== "session.updated") return action(notice);
    clearTimeout(quiet);
    quiet = setTimeout(() => action(notice), wait);
  };
}

const refresh = debounced(receive, 250);

/**
 * Returns what to do after each connection. Anything may have been missed before it; but before the first one, the page
 * has just read its lists of sessions, or still reads them. What waits for the person must never be missed.
 */
function refreshMissed(): () => void {
  let isFirst = true;
  return () => {
    if (isFirst) refreshOutdatedSessions();
    else refreshSessions();
    refreshWaiting();
    isFirst = false;
  };
}

export function useMyStream(): void {
  useEffect(
    () =>
      connectMe({
        onNotice: (notice) => {
          notify(notice);
          refresh(notice);
        },
        onReady: refreshMissed(),
        onSignedOut: markSignedOut,
      }),
    [],
  );
}

/** Sets the tab title with the number of waiting items: "(2) Fix the test · agentsite". */
export function useTabTitle(title: string, waiting: number): void {
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title ? `${title} · ` : ""}agentsite`;
  }, [title, waiting]);
}
