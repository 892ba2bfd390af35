import { lazy, type ReactNode, Suspense, useState } from "react";
import { Link } from "wouter";
import type { Me, Project, Session } from "../api/types";
import { useTabTitle } from "../app/live";
import { useMe, useProjects, useSessions } from "../app/queries";
import { SessionRow } from "../app/SessionRow";
import { useWaiting, type Waiting } from "../app/waiting";
import { Composer } from "../composer/Composer";
import { Choice } from "../composer/TaskFields";
import { formatAgo, formatCost } from "../lib/format";
import { readStored, writeStored } from "../lib/storage";
import { mayStart, shownName } from "../permissions/approvers";
import { CreateProjectButton } from "../project/CreateProjectButton";
import { teamsWithCreation } from "../project/teams";
import { teamPath } from "../team/paths";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { NoTeam } from "./NoTeam";
import "./pages.css";

const CreateProject = lazy(() =>
  import("../project/CreateProject").then(({ CreateProject }) => ({ default: CreateProject })),
);

const MAX_READY = 10;

export function Home() {
  const projects = useProjects();
  const running = useSessions("running");
  const recent = useSessions();
  const waiting = useWaiting();
  useTabTitle("", waiting.count);
  const me = useMe().data;
  const teams = me?.teams ?? [];
  const isInTeam = !me || teams.length > 0;
  const mayCreate = teamsWithCreation(teams).length > 0;
  const isFirst = projects.data?.items.length === 0 && mayCreate;
  const names = new Map(projects.data?.items.map((project) => [project.id, project.name]));
  const ready = recent.data?.items.filter((session) => session.status === "idle").slice(0, MAX_READY);
  return (
    <main className="plain-page full-width" id="main">
      <h1 className="sr-only">Home</h1>
      <NoTeam />
      {projects.data && <HomeComposer projects={projects.data.items} teams={teams} />}
      <WaitingSection waiting={waiting} names={names} />
      <SessionSection title="Running" sessions={running.data?.items} names={names} />
      {recent.isPending && <Skeleton rows={4} label="Loading sessions" />}
      <SessionSection title="Ready to review" sessions={ready} names={names} />
      {isInTeam && (
        <Section title={isFirst ? "Your first project" : "Projects"}>
          {projects.error && <Problem error={projects.error} />}
          {projects.isPending && <Skeleton rows={2} label="Loading projects" />}
          {projects.data && <ProjectGrid projects={projects.data.items} teams={teams} />}
        </Section>
      )}
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

interface HomeComposerProps {
  projects: readonly Project[];
  teams: Me["teams"];
}

const LAST_PROJECT = "composer.project";

/** The composer, with a choice of the project: the one that was used last, or the first. */
function HomeComposer({ projects, teams }: HomeComposerProps) {
  const onlyReads = new Set(teams.filter((team) => !mayStart(team.role)).map((team) => team.id));
  const usable = projects.filter((item) => !item.remove_at && !onlyReads.has(item.team_id));
  const [chosen, setChosen] = useState(() => readStored(LAST_PROJECT));
  const project = usable.find((item) => item.id === chosen) ?? usable[0];
  if (!project) return null;
  const choose = (id: string) => {
    writeStored(LAST_PROJECT, id);
    setChosen(id);
  };
  return (
    <section className="stack gap-12" aria-label="New task">
      <Composer project={project}>
        <Choice label="Project" value={project.id} onChange={choose}>
          <OptionList of={usable.map(({ id, name }) => [id, name])} />
        </Choice>
      </Composer>
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
            <span className="row-detail ellipsis muted">
              {session.created_by && shownName(session.created_by)}
            </span>
            <span className="row-detail ellipsis muted">{names.get(session.project_id)}</span>
            <span className="row-detail ellipsis muted number">
              {formatCost(session.cost, session.unpriced_calls)}
            </span>
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
        <Suspense fallback={<Skeleton rows={5} label="Loading the form" />}>
          <CreateProject teams={teams} />
        </Suspense>
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
          <CreateProjectButton />
        </div>
      )}
    </>
  );
}
