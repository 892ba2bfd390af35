import { lazy, Suspense, useState } from "react";
import { Link, useLocation } from "wouter";
import { useStore } from "zustand";
import { useWaiting } from "../app/waiting";
import { plural } from "../lib/format";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { Skeleton } from "../ui/Notice";
import { isVisible, visibleSession } from "./visibleSession";
import "./WaitingTray.css";

const PermissionCard = lazy(() =>
  import("./PermissionCard").then(({ PermissionCard }) => ({ default: PermissionCard })),
);
const QuestionCard = lazy(() =>
  import("./QuestionCard").then(({ QuestionCard }) => ({ default: QuestionCard })),
);

/** Requests and questions of sessions that are not on screen; shown on every page. */
export function WaitingTray() {
  const waiting = useWaiting();
  const shown = useStore(visibleSession);
  const [isOpen, setOpen] = useState(false);
  const requests = waiting.requests.filter((item) => !isVisible(shown, item.session_id));
  const questions = waiting.questions.filter((item) => !isVisible(shown, item.session_id));
  const count = requests.length + questions.length;
  const [location] = useLocation();
  if (count === 0 || location === "/inbox") return null; // the inbox shows them all
  return (
    <aside
      className="tray vertical"
      data-testid="waiting-tray"
      aria-label="Waiting for you in other sessions"
    >
      <button
        type="button"
        className="tray-head line no-shrink medium"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="wait" />
        <span aria-live="polite">
          {plural(count, "tool call waits", "tool calls wait")} for you{shown.id ? " in other sessions" : ""}
        </span>
        <Chevron open={isOpen} />
      </button>
      {isOpen && (
        <div className="tray-body ruled-top">
          <Suspense fallback={<Skeleton rows={3} label="Loading" />}>
            {requests.map((request) => (
              <div key={request.id} className="tray-item">
                <TrayLink item={request} title={request.session_title} />
                <PermissionCard request={request} projectId={request.project_id} canAct withoutKeys />
              </div>
            ))}
            {questions.map((question) => (
              <div key={question.id} className="tray-item">
                <TrayLink item={question} title={question.session_title} />
                <QuestionCard question={question} projectId={question.project_id} canAct withoutKeys />
              </div>
            ))}
          </Suspense>
        </div>
      )}
    </aside>
  );
}

function TrayLink({ item, title }: { item: { id: string; session_id: string }; title: string }) {
  return (
    <Link href={`/sessions/${item.session_id}#${item.id}`} className="tray-link inline gap-4 medium muted">
      {title || "Untitled session"}
      <Icon name="chevron" size={12} />
    </Link>
  );
}
