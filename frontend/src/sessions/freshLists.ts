import { useEffect, useRef } from "react";
import { refreshSessions } from "../app/queries";

/** Reads the lists again when the title or the status of the session on screen changes, which they show. */
export function useFreshLists(title: string, status: string | undefined): void {
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (status === undefined) return; // not loaded, as the lists may be
    const next = JSON.stringify([title, status]);
    if (shown.current !== null && shown.current !== next) refreshSessions();
    shown.current = next;
  }, [title, status]);
}
