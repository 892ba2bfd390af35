import { type ReactNode, useId } from "react";
import { Icon, type IconName } from "../ui/Icon";
import "./why.css";

interface RequestCardProps {
  kind: "permission" | "question";
  id: string;
  state: string;
  icon: IconName;
  title: string;
  children: ReactNode;
}

/** The frame of a permission request or question. It can be focused, as links lead to it. */
export function RequestCard({ kind, id, state, icon, title, children }: RequestCardProps) {
  const titleId = useId();
  return (
    <article
      className={`card waiting-box stack gap-12 ${kind}-card`}
      data-testid={`${kind}-card`}
      data-state={state}
      data-request={id}
      tabIndex={-1}
      aria-labelledby={titleId}
    >
      <h2 id={titleId} className="line">
        <Icon name={icon} />
        {title}
      </h2>
      {children}
    </article>
  );
}
