import type { ReactNode } from "react";
import { ApiError } from "../api/http";
import { Icon } from "./Icon";

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
    <div className="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p className="problem-message">{known ? error.message : "Something went wrong on this page."}</p>
        {(hint || request) && (
          <p className="problem-hint">
            {hint}
            {request && <span className="request-id"> Request {request}</span>}
          </p>
        )}
        {onRetry && (
          <button type="button" className="button" onClick={() => void onRetry()}>
            Try again
          </button>
        )}
        {children}
      </div>
    </div>
  );
}

export function Skeleton({ rows, label }: { rows: number; label: string }) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <span key={row} className={`skeleton-row skeleton-${row % 3}`} />
      ))}
    </div>
  );
}
