import { useEffect, useRef } from "react";
import { useLocationProperty } from "wouter/use-browser-location";
import { useConnection, useLive } from "../store/SessionContext";

const LINKED_REQUEST = /^#((?:per|que)_[A-Za-z0-9]+)$/;

/** The part of an id that grows with its time of creation, whatever it names. */
const timeOf = (id: string) => id.slice(id.indexOf("_") + 1);

/**
 * E-mails and notifications link to a request or question by its id in the URL fragment. Shows and focuses
 * its card once, or the tool call if it was already answered. Loads older messages until it is there.
 */
export function useLinkedRequest(show: (thing: HTMLElement) => void): void {
  const id = LINKED_REQUEST.exec(useLocationProperty(() => window.location.hash))?.[1] ?? "";
  const { loadOlder } = useConnection();
  const linked = useLive((state) => state.requests[id] ?? state.questions[id]);
  const older = useLive((state) => state.older);
  const failed = useLive((state) => state.olderError !== null);
  const isLoading = useLive((state) => state.isLoadingOlder);
  const shown = useRef("");
  /** The request whose last possible page was loaded: the first that has older messages only. */
  const last = useRef("");
  const callId = linked?.call_id;
  useEffect(() => {
    if (!id || callId || older === null || failed || isLoading) return;
    if (timeOf(older) <= timeOf(id)) {
      if (last.current === id) return;
      last.current = id;
    }
    void loadOlder();
  }, [id, callId, older, failed, isLoading, loadOlder]);
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
