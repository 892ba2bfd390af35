import { useState, useSyncExternalStore } from "react";
import { Link, useSearchParams } from "wouter";
import { useTabTitle } from "../app/live";
import { useSession } from "../app/queries";
import { NotFound } from "../pages/NotFound";
import { SessionProvider, useLive } from "../store/SessionContext";
import { useSessionConnection } from "../store/useSessionConnection";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { DiffGrid } from "./DiffGrid";
import { FileList } from "./FileList";
import { useFileApprovals, useReviewComments, useReviewedChanges } from "./queries";
import { ReviewBar } from "./ReviewBar";
import type { Layout, ViewOptions } from "./rows";
import { scopeOf } from "./Scope";
import { useReview } from "./useReview";
import "./review.css";

/** The changes of a session on a page of their own, with comments and approvals. */
export function ReviewPage({ sessionId }: { sessionId: string }) {
  const connection = useSessionConnection(sessionId);
  if (!connection) return null;
  return (
    <SessionProvider value={connection}>
      <Review sessionId={sessionId} />
    </SessionProvider>
  );
}

const NARROW = "(max-width: 719px)";

/** Whether there is no room for two sides. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = window.matchMedia(NARROW);
      query.addEventListener("change", onChange);
      return () => query.removeEventListener("change", onChange);
    },
    () => window.matchMedia(NARROW).matches,
  );
}

const isWide = () => window.matchMedia?.("(min-width: 1200px)").matches ?? true;

/** How the changes are shown. The turn or commit and the option about white space are in the address. */
function useView(): [ViewOptions, (view: ViewOptions) => void] {
  const [query, setQuery] = useSearchParams();
  const [layout, setLayout] = useState<Layout>(isWide() ? "split" : "unified");
  const setView = (view: ViewOptions) => {
    setLayout(view.layout);
    const next = { ...scopeOf(view), ...(view.ignoreSpace && { space: "ignored" }) };
    setQuery(next, { replace: true });
  };
  const scope = { turn: query.get("turn") ?? "", commit: query.get("commit") ?? "" };
  return [{ layout, ignoreSpace: query.get("space") === "ignored", ...scope }, setView];
}

function Review({ sessionId }: { sessionId: string }) {
  const ended = useLive((state) => state.ended);
  const title = useSession(sessionId).data?.title ?? "";
  const [view, setView] = useView();
  const isNarrow = useIsNarrow();
  useTabTitle(`Review: ${title}`, 0);
  if (ended === "unknown") return <NotFound what="session" />;
  return (
    <main className="review vertical" id="main">
      <header className="review-header line gap-8 no-shrink ruled">
        <Link href={`/sessions/${sessionId}`} className="icon-button" aria-label="Back to the session">
          <span className="review-back">
            <Icon name="chevron" />
          </span>
        </Link>
        <h1 className="ellipsis semibold">Review: {title || "Untitled session"}</h1>
      </header>
      <Loaded
        sessionId={sessionId}
        view={isNarrow ? { ...view, layout: "unified" } : view}
        onView={setView}
      />
    </main>
  );
}

interface LoadedProps {
  sessionId: string;
  view: ViewOptions;
  onView: (view: ViewOptions) => void;
}

function Loaded({ sessionId, view, onView }: LoadedProps) {
  const options = { ignore_whitespace: view.ignoreSpace, ...scopeOf(view) };
  const changes = useReviewedChanges(sessionId, options);
  const comments = useReviewComments(sessionId);
  const approvals = useFileApprovals(sessionId);
  const review = useReview(sessionId, view, options, {
    changes: changes.data,
    comments: comments.data?.items ?? [],
    approvals: approvals.data?.items ?? [],
  });
  const error = changes.error ?? comments.error ?? approvals.error;
  return (
    <>
      <ReviewBar review={review} view={view} onView={onView} />
      {error && <Problem error={error} onRetry={changes.refetch} />}
      {!changes.data && !error && <Skeleton rows={8} label="Loading the changes" />}
      {changes.data && (
        <div className="review-body grow">
          <FileList review={review} />
          <DiffGrid review={review} layout={view.layout} />
        </div>
      )}
    </>
  );
}
