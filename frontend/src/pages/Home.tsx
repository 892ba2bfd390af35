import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Me, Project, Session } from "../api/types";
import { useTabTitle } from "../app/live";
import { useMe, useProjects, useSessions } from "../app/queries";
import { SessionRow } from "../app/SessionRow";
import { useWaiting, type Waiting } from "../app/waiting";
import { formatAgo, formatCost } from "../lib/format";
import { mayStart } from "../permissions/approvers";
import { CreateProject, CreateProjectButton, teamsWithCreation } from "../project/CreateProject";
import { teamPath } from "../team/paths";
import { SearchBox } from "../together/SearchBox";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { NoTeam } from "./NoTeam";
import { StartSuggestion } from "./StartSuggestion";
import "./pages.css";

export function Home() {
  const projects = useProjects();
  const running = useSessions("running");
  const recent = useSessions();
  const waiting = useWaiting();
  useTabTitle("", waiting.count);
  const me = useMe().data;
  const teams = me?.teams ?? [];
  const isInTeam = !me || teams.length > 0;
  const isFresh = recent.data?.items.length === 0;
  const mayCreate = teamsWithCreation(teams).length > 0;
  const names = new Map(projects.data?.items.map((project) => [project.id, project.name]));
  return (
    <main className="plain-page full-width" id="main">
      <h1>Home</h1>
      {!isFresh && <SearchBox />}
      <NoTeam />
      {isFresh && <FirstSteps projects={projects.data?.items ?? []} teams={teams} />}
      <WaitingSection waiting={waiting} names={names} />
      <SessionSection title="Running" sessions={running.data?.items} names={names} />
      {isInTeam && (
        <Section title={projects.data?.items.length === 0 && mayCreate ? "Your first project" : "Projects"}>
          {projects.error && <Problem error={projects.error} />}
          {projects.isPending && <Skeleton rows={2} label="Loading projects" />}
          {projects.data && <ProjectGrid projects={projects.data.items} teams={teams} />}
        </Section>
      )}
      {recent.isPending && <Skeleton rows={4} label="Loading sessions" />}
      <SessionSection title="Recent sessions" sessions={recent.data?.items} names={names} />
    </main>
  );
}

function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="home-section" aria-label={title}>
      <h2 className="line gap-0 muted">
        {title}
        {count !== undefined && <span className="count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

function WaitingSection({ waiting, names }: { waiting: Waiting; names: Map<string, string> }) {
  if (waiting.count === 0) return null;
  const items = [
    ...waiting.requests.map((request) => ({
      ...request,
      asks: request.title || `Use ${request.tool}`,
      icon: "shield" as const,
    })),
    ...waiting.questions.map((question) => ({
      ...question,
      asks: question.questions[0]?.question ?? "A question",
      icon: "question" as const,
    })),
  ].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return (
    <Section title="Waiting for you" count={waiting.count}>
      <ul className="ruled-top rows-waiting">
        {items.map((item) => (
          <li key={item.id}>
            <Link href={`/sessions/${item.session_id}`} className="row line gap-12 ruled">
              <span className="row-icon waiting">
                <Icon name={item.icon} />
              </span>
              <span className="ellipsis grow medium">{item.asks}</span>
              <span className="row-detail ellipsis muted wide">
                {item.session_title || "Untitled session"}
              </span>
              <span className="row-detail ellipsis muted">{names.get(item.project_id)}</span>
              <time className="row-time muted" dateTime={item.created_at}>
                {formatAgo(item.created_at)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Offers a suggested prompt while there are no sessions. */
function FirstSteps({ projects, teams }: { projects: Project[]; teams: Me["teams"] }) {
  const onlyReads = new Set(teams.filter((team) => !mayStart(team.role)).map((team) => team.id));
  const project = projects.find((item) => item.suggested_prompt && !onlyReads.has(item.team_id));
  if (!project) return null;
  return (
    <section className="first-steps stack gap-12 muted" aria-label="First steps">
      <p>
        See an agent at work in <strong>{project.name}</strong>: it reads, edits, asks before it runs the
        tests, and shows what it changed.
      </p>
      <StartSuggestion project={project} />
    </section>
  );
}

interface SessionSectionProps {
  title: string;
  sessions: Session[] | undefined;
  names: Map<string, string>;
}

function SessionSection({ title, sessions, names }: SessionSectionProps) {
  if (!sessions?.length) return null;
  return (
    <Section title={title}>
      <ul className="ruled-top">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session}>
            <span className="row-detail ellipsis muted">{names.get(session.project_id)}</span>
            <span className="row-detail ellipsis muted number">{formatCost(session.cost)}</span>
          </SessionRow>
        ))}
      </ul>
    </Section>
  );
}

/** The form for the first project, and a way to invite others before. */
function FirstProject({ teams }: { teams: Me["teams"] }) {
  const [team] = teams;
  if (!team) return <p className="muted">You have no projects yet. An admin of your team can create one.</p>;
  return (
    <div className="first-project stack gap-12">
      <p className="muted">
        Start with your own code. You can also{" "}
        <Link href={teamPath(team.id, "invitations")} className="link">
          invite others
        </Link>{" "}
        first.
      </p>
      <div className="boxed">
        <CreateProject teams={teams} />
      </div>
    </div>
  );
}

function ProjectGrid({ projects, teams }: { projects: Project[]; teams: Me["teams"] }) {
  const mine = teamsWithCreation(teams);
  if (projects.length === 0) return <FirstProject teams={mine} />;
  return (
    <>
      <ul className="project-grid">
        {projects.map((project) => (
          <li key={project.id}>
            <Link href={`/projects/${project.id}`} className="project-card stack gap-4 boxed">
              <span className="project-name semibold">{project.name}</span>
              <span className="muted">
                {project.remove_at ? "Being deleted" : project.description || "No description"}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {mine.length > 0 && (
        <div className="home-none stack items-start gap-12">
          <CreateProjectButton teams={mine} />
        </div>
      )}
    </>
  );
}
