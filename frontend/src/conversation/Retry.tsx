import { lazy, Suspense } from "react";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { useNow } from "../ui/useNow";

const RetryActions = lazy(() => import("./RetryActions"));

/** Seconds without a word from the model after which the page offers another one. */
const SLOW_SECONDS = 20;

/** What became of a try: which one comes next and when, or which model continues. */
export function Retry({ partId }: { partId: string }) {
  const data = useLive((state) => state.parts[partId]?.data) ?? {};
  const turnId = useLive((state) => state.messages[state.parts[partId]?.message_id ?? ""]?.turn_id ?? "");
  const now = useNow(true);
  const seconds = typeof data.next_at === "string" ? Math.ceil((Date.parse(data.next_at) - now) / 1000) : 0;
  const said = typeof data.message === "string" && data.message ? data.message : "The model did not answer.";
  if (typeof data.next === "string") {
    return (
      <p className="turn-note line muted" role="status" data-testid="fallback">
        <Icon name="retry" />
        <span>
          {data.by ? "A person chose another model: " : `${said} The fallback model `}
          <code>{data.next}</code> continues instead of <code>{String(data.model)}</code>.
        </span>
      </p>
    );
  }
  return (
    <>
      <p className="turn-note line muted waiting" role="status" data-testid="retry">
        <Icon name="retry" />
        <span>
          {nextTry(data.attempt, data.of)}
          {/* Not announced each second. */}
          <span aria-hidden="true">{seconds > 0 ? ` in ${seconds} s` : " runs now"}</span>: {said}
        </span>
      </p>
      <Suspense>
        <RetryActions turnId={turnId} />
      </Suspense>
    </>
  );
}

/** "Try 2 of 6"; tries of older sessions do not say of how many. */
function nextTry(failed: unknown, of: unknown): string {
  if (typeof failed !== "number") return "The next try";
  return typeof of === "number" ? `Try ${failed + 1} of ${of}` : `Try ${failed + 1}`;
}

/** Offers another model while the one that was asked has not said a word for long. */
export function SlowModel({ turnId, seconds }: { turnId: string; seconds: number }) {
  // A turn whose calls still run waits for them, not for the model.
  const isAsked = useLive((state) =>
    Object.values(state.calls).every((call) => call.turn_id !== turnId || call.ended_at),
  );
  if (seconds < SLOW_SECONDS || !isAsked) return null;
  return (
    <>
      <p className="small muted" role="status">
        The model has not answered yet. Some think for minutes.
      </p>
      <Suspense>
        <RetryActions turnId={turnId} />
      </Suspense>
    </>
  );
}
