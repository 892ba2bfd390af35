import { useEffect, useRef } from "react";
import { useLocationProperty } from "wouter/use-browser-location";
import { useLive } from "../store/SessionContext";
import { useLoadedUntil } from "./useLoadedUntil";

const LINKED_REQUEST = /^#((?:per|que)_[A-Za-z0-9]+)$/;

/**
 * E-mails and notifications link to a request or question by its id in the URL fragment. Shows and focuses
 * its card once, or the tool call if it was already answered. Loads older messages until it is there.
 */
export function useLinkedRequest(show: (thing: HTMLElement) => void): void {
  const id = LINKED_REQUEST.exec(useLocationProperty(() => window.location.hash))?.[1] ?? "";
  const linked = useLive((state) => state.requests[id] ?? state.questions[id]);
  const shown = useRef("");
  const callId = linked?.call_id;
  useLoadedUntil(id, !!callId);
  useEffect(() => {
    if (!id || !callId || shown.current === id) return;
    const card = document.querySelector<HTMLElement>(`.conversation [data-request="${id}"]`);
    const row = document.querySelector<HTMLElement>(`.conversation [data-call="${callId}"] .tool-row`);
    const thing = card ?? row;
    if (!thing) return;
    shown.current = id;
    show(thing);
    thing.focus({ preventScroll: true });
  }, [id, callId, show]);
}
