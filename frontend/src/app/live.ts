// Refreshes lists when the person's stream reports changes, sets the tab title and shows notices.
import { useEffect } from "react";
import { createStore } from "zustand/vanilla";
import type { Notice } from "../api/frames";
import { readStored, writeStored } from "../lib/storage";
import { connectMe } from "../store/me";
import {
  markSignedOut,
  queryClient,
  refreshOutdatedSessions,
  refreshSessions,
  refreshWaiting,
} from "./queries";

export const notifyStore = createStore<{ on: boolean }>(() => ({ on: readStored("notify") === "on" }));

export const canNotify = (): boolean => "Notification" in window && Notification.permission !== "denied";

/** Turns the notices of open pages on or off in this browser. Asks for the browser's permission when they are turned on. */
export async function setNotify(on: boolean): Promise<void> {
  const allowed = on && "Notification" in window && (await Notification.requestPermission()) === "granted";
  writeStored("notify", allowed ? "on" : null);
  notifyStore.setState({ on: allowed });
}

function notify(notice: Notice): void {
  if (!notifyStore.getState().on) return;
  void import("../notices/shown").then(({ noteNotice }) => noteNotice(notice));
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

/** Looks after push notices where they are on, once the page has had time to load. */
function usePush(): void {
  useEffect(() => {
    if (readStored("push") === null) return;
    const timer = setTimeout(() => void import("../notices/push").then(({ keepPush }) => keepPush()), 3_000);
    return () => clearTimeout(timer);
  }, []);
}

export function useMyStream(): void {
  usePush();
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
