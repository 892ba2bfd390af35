import { Link, useLocation } from "wouter";
import type { Me } from "../api/types";
import { open, toggleLeft } from "../app/shellStore";
import { UserMenu } from "../app/UserMenu";
import { useWaiting } from "../app/waiting";
import { isSettingsAddress } from "../settings/addresses";
import { Icon } from "../ui/Icon";
import { Logo } from "../ui/Logo";
import { NewTask } from "./NewTask";
import { ProjectSwitcher } from "./ProjectSwitcher";
import { SessionNav } from "./SessionNav";
import { useScope, useShownSession } from "./scope";
import "./rail.css";

/** The navigation of every page: project, new task, inbox, sessions, settings and account. */
export function Rail({ me }: { me: Me }) {
  const projectId = useScope();
  return (
    <div className="rail vertical">
      <div className="rail-head line gap-2 no-shrink">
        <Link href="/" className="brand inline gap-8 semibold" aria-label="agentsite, home">
          <Logo />
          <span>agentsite</span>
        </Link>
        <span className="spacer" />
        <button
          type="button"
          className="icon-button"
          aria-label="Search or run a command"
          title="Search or run a command (Ctrl K)"
          onClick={() => open("palette")}
        >
          <Icon name="explore" />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Hide the sidebar"
          title="Hide the sidebar (Alt L)"
          onClick={toggleLeft}
        >
          <Icon name="menu" />
        </button>
      </div>
      <nav className="rail-main stack gap-2 no-shrink" aria-label="Main">
        <ProjectSwitcher projectId={projectId} />
        <NewTask projectId={projectId} />
        <InboxLink />
      </nav>
      <SessionNav projectId={projectId} current={useShownSession()} me={me} />
      <div className="rail-foot line no-shrink ruled-top">
        <SettingsLink projectId={projectId} teamId={me.teams[0]?.id} />
        <UserMenu me={me} />
      </div>
    </div>
  );
}

function InboxLink() {
  const [location] = useLocation();
  const { count } = useWaiting();
  return (
    <Link href="/inbox" className="rail-link line" aria-current={location === "/inbox" ? "page" : undefined}>
      <Icon name="inbox" /> Inbox
      {count > 0 && (
        <span className="rail-count push-end small semibold" data-testid="inbox-count">
          {count}
          <span className="sr-only"> waiting for you</span>
        </span>
      )}
    </Link>
  );
}

interface SettingsLinkProps {
  projectId: string | null;
  teamId: string | undefined;
}

/** Leads to the settings that are nearest: of the project, else of the team, else of the account. */
function SettingsLink({ projectId, teamId }: SettingsLinkProps) {
  const [location] = useLocation();
  const path = projectId ? `/projects/${projectId}/settings` : teamId ? `/teams/${teamId}` : "/account";
  return (
    <Link
      href={path}
      className="rail-link line grow"
      aria-current={isSettingsAddress(location) ? "page" : undefined}
    >
      <Icon name="tool" /> Settings
    </Link>
  );
}
