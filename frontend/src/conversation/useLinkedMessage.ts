import { useEffect, useRef } from "react";
import { useLocationProperty } from "wouter/use-browser-location";
import { useLive } from "../store/SessionContext";
import { useLoadedUntil } from "./useLoadedUntil";

const LINKED_MESSAGE = /^#(msg_[A-Za-z0-9]+)$/;

/**
 * A review links to the message that answered a comment, by its id in the URL fragment. Shows and focuses the
 * message once, or its turn if it has no text. Loads older messages until it is there.
 */
export function useLinkedMessage(show: (thing: HTMLElement) => void): void {
  const id = LINKED_MESSAGE.exec(useLocationProperty(() => window.location.hash))?.[1] ?? "";
  const turnId = useLive((state) => state.messages[id]?.turn_id ?? "");
  const isShown = useLive((state) => !!state.messageIdsByTurn[turnId]?.includes(id));
  const shown = useRef("");
  useLoadedUntil(id, isShown);
  useEffect(() => {
    if (!id || !isShown || shown.current === id) return;
    const message = document.querySelector<HTMLElement>(`.conversation [data-message="${id}"]`);
    const thing = message ?? document.querySelector<HTMLElement>(`.conversation [data-turn="${turnId}"]`);
    if (!thing) return;
    shown.current = id;
    show(thing);
    thing.tabIndex = -1;
    thing.focus({ preventScroll: true });
  }, [id, isShown, turnId, show]);
}
