import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon";

interface ProblemBoxProps {
  icon?: IconName;
  /** Waits for something instead of having failed. */
  isWaiting?: boolean;
  role: "alert" | "status";
  testId?: string;
  /** Shown above the message. */
  head?: ReactNode;
  message: ReactNode;
  hint?: ReactNode;
  children?: ReactNode;
}

/** A box that says what is wrong and what to do about it. */
export function ProblemBox(props: ProblemBoxProps) {
  const { icon = "warning", isWaiting = false, role, testId, head, message, hint, children } = props;
  return (
    <div className={isWaiting ? "problem flex waiting" : "problem flex"} role={role} data-testid={testId}>
      <Icon name={icon} />
      <div className="stack items-start gap-2">
        {head}
        <p className="medium">{message}</p>
        {hint && <p className="muted">{hint}</p>}
        {children}
      </div>
    </div>
  );
}
