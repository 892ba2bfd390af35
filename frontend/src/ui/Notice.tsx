import type { ReactNode } from "react";
import { ApiError } from "../api/http";
import { ProblemBox } from "./ProblemBox";

interface ProblemProps {
  error: unknown;
  /** Adds a button that tries again. */
  onRetry?: () => unknown;
  children?: ReactNode;
}

/** An error message with its hint and request id. */
export function Problem({ error, onRetry, children }: ProblemProps) {
  const known = error instanceof ApiError;
  const hint = known ? error.hint : "Reload the page. Nothing on the server is lost.";
  const request = known ? error.requestId : "";
  return (
    <ProblemBox
      role="alert"
      message={known ? error.message : "Something went wrong on this page."}
      hint={
        (hint || request) && (
          <>
            {hint}
            {request && <span className="mono small"> Request {request}</span>}
          </>
        )
      }
    >
      {onRetry && (
        <button type="button" className="button" onClick={() => void onRetry()}>
          Try again
        </button>
      )}
      {children}
    </ProblemBox>
  );
}

export function Skeleton({ rows, label }: { rows: number; label: string }) {
  return (
    <div className="skeleton stack gap-12" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <span key={row} className={`skeleton-row skeleton-${row % 3}`} />
      ))}
    </div>
  );
}
