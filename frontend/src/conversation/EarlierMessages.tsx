import { type RefObject, useEffect, useRef } from "react";
import { useConnection, useLive } from "../store/SessionContext";
import { Problem } from "../ui/Notice";
import "./Conversation.css";

/** How far above the view older messages are loaded, so that a person who scrolls rarely sees their place empty. */
const AHEAD = "1600px 0px 0px 0px";

/** Loads older messages when the start of the conversation comes near, and says so. */
export function EarlierMessages({ box }: { box: RefObject<HTMLElement | null> }) {
  const { loadOlder } = useConnection();
  const older = useLive((state) => state.older);
  const error = useLive((state) => state.olderError);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (older === null || error || !place.current) return;
    // Observed anew after each page, because a short page leaves the start in view.
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && void loadOlder(),
      { root: box.current, rootMargin: AHEAD },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [older, error, loadOlder, box]);
  if (older === null) return null;
  return (
    <div ref={place} className="earlier" data-testid="earlier-messages">
      {error ? (
        <Problem error={error} onRetry={loadOlder} />
      ) : (
        <p className="small muted" role="status">
          Loading earlier messages
        </p>
      )}
    </div>
  );
}
