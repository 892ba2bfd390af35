// Refreshes lists when the person's stream reports changes, sets the tab title and shows browser
// notifications.
import { useEffect } from "react";
import { createStore } from "zustand/vanilla";
import type { Notice } from "../api/frames";
import { atPrefix } from "../lib/prefix";
import { readStored, writeStored } from "../lib/storage";
import { connectMe } from "../store/me";
import { markSignedOut, queryClient, refreshSessions, refreshWaiting } from "./queries";

export const notifyStore = createStore<{ on: boolean }>(() => ({ on: readStored("notify") === "on" }));

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
  return null;
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
  notify(notice);
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

export function useMyStream(): void {
  useEffect(
    () =>
      connectMe({
        onNotice: debounced(receive, 250),
        onReady: () => {
          refreshSessions();
          refreshWaiting();
        },
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
