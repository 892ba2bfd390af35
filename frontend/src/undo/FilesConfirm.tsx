import type { ReactNode } from "react";
import { Problem } from "../ui/Notice";
import type { RevertPlanState } from "./useRevertPlan";

interface FilesConfirmProps {
  files: "then" | "now";
  plan: RevertPlanState;
  busy: boolean;
  error: unknown;
  onCancel: () => void;
  onConfirm: () => void;
  /** What the button says. */
  children: ReactNode;
}

/** The end of a form that chooses what happens to files: confirmed when what a revert would do is known and decided. */
export function FilesConfirm({ files, plan, busy, error, onCancel, onConfirm, children }: FilesConfirmProps) {
  return (
    <>
      {error !== null && <Problem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button
          type="button"
          className="button primary"
          disabled={busy || (files === "then" && !plan.isReady)}
          onClick={onConfirm}
        >
          {children}
        </button>
      </div>
    </>
  );
}
