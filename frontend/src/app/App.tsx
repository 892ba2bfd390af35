import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Router, Switch } from "wouter";
import { accountPath } from "../account/paths";
import { prefix } from "../lib/prefix";
import { NotFound } from "../pages/NotFound";
import { operatorPageIn } from "../signed-out/operatorPages";
import { EMAIL_LINK_ROUTES, SignedOut } from "../signed-out/SignedOut";
import { teamPath } from "../team/paths";
import { Problem, Skeleton } from "../ui/Notice";
import { Crash } from "./Crash";
import { queryClient, useMe } from "./queries";
import { Shell } from "./Shell";
import "./Shell.css";

// The session page is a chunk of its own because only it needs Markdown and its sanitizer.
const loadSessionPage = () =>
  import("../pages/SessionPage").then(({ SessionPage, prepareConnection }) => ({
    default: SessionPage,
    prepareConnection,
  }));
const SessionPage = lazy(loadSessionPage);
// Who opens a session waits for its page, its conversation and for who they are at the same time. A page that is there
// is shown at once: after a placeholder, React waits for 0.3 s.
let loadedPage: typeof SessionPage | ComponentType<{ sessionId: string }> = SessionPage;
const openedFirst = /\/sessions\/([^/]+)$/.exec(window.location.pathname)?.[1];
if (openedFirst)
  loadSessionPage().then(
    (loaded) => {
      loaded.prepareConnection(openedFirst);
      loadedPage = loaded.default;
    },
    () => undefined,
  );
const Home = lazy(() => import("../pages/Home").then(({ Home }) => ({ default: Home })));
const ProjectPage = lazy(() =>
  import("../pages/ProjectPage").then(({ ProjectPage }) => ({ default: ProjectPage })),
);
const PolicyPage = lazy(() =>
  import("../policies/PolicyPage").then(({ PolicyPage }) => ({ default: PolicyPage })),
);
const TeamPage = lazy(() => import("../team/TeamPage").then(({ TeamPage }) => ({ default: TeamPage })));
const ProjectSettingsPage = lazy(() =>
  import("../project/ProjectSettingsPage").then(({ ProjectSettingsPage }) => ({
    default: ProjectSettingsPage,
  })),
);
const WorkspacesPage = lazy(() =>
  import("../workspaces/WorkspacesPage").then(({ WorkspacesPage }) => ({ default: WorkspacesPage })),
);
const WorkspacePage = lazy(() =>
  import("../workspaces/WorkspacePage").then(({ WorkspacePage }) => ({ default: WorkspacePage })),
);

const ReviewPage = lazy(() =>
  import("../review/ReviewPage").then(({ ReviewPage }) => ({ default: ReviewPage })),
);
const SiteServersPage = lazy(() =>
  import("../mcp/SiteServersPage").then(({ SiteServersPage }) => ({ default: SiteServersPage })),
);
const SiteConfigurationPage = lazy(() =>
  import("../configuration/SiteConfigurationPage").then(({ SiteConfigurationPage }) => ({
    default: SiteConfigurationPage,
  })),
);
const ModelTablePage = lazy(() =>
  import("../providers/ModelTablePage").then(({ ModelTablePage }) => ({ default: ModelTablePage })),
);
const AgentsPage = lazy(() =>
  import("../agents/AgentsPage").then(({ AgentsPage }) => ({ default: AgentsPage })),
);
const AgentPage = lazy(() => import("../agents/AgentPage").then(({ AgentPage }) => ({ default: AgentPage })));

const McpServerPage = lazy(() =>
  import("../mcp/ServerPage").then(({ ServerPage }) => ({ default: ServerPage })),
);
const ComparisonPage = lazy(() =>
  import("../comparisons/ComparisonPage").then(({ ComparisonPage }) => ({ default: ComparisonPage })),
);
const AccountPage = lazy(() =>
  import("../account/AccountPage").then(({ AccountPage }) => ({ default: AccountPage })),
);

const SharedPage = lazy(() =>
  import("../together/SharedPage").then(({ SharedPage }) => ({ default: SharedPage })),
);
const SearchPage = lazy(() =>
  import("../together/SearchPage").then(({ SearchPage }) => ({ default: SearchPage })),
);

const InboxPage = lazy(() => import("../inbox/InboxPage").then(({ InboxPage }) => ({ default: InboxPage })));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Crash>
        <Router base={prefix}>
          <Switch>
            <Route path="/shared/:secret">
              {({ secret }) => (
                <Suspense fallback={<Skeleton rows={7} label="Loading the session" />}>
                  <SharedPage key={secret} secret={secret} />
                </Suspense>
              )}
            </Route>
            <Route>
              <SignedIn />
            </Route>
          </Switch>
        </Router>
      </Crash>
    </QueryClientProvider>
  );
}

function SignedIn() {
  const me = useMe();
  const [wasSignedIn, setWasSignedIn] = useState(false);
  useEffect(() => {
    if (me.data) setWasSignedIn(true);
  }, [me.data]);

  const wanted = me.data?.is_operator ? operatorPageIn(window.location.search) : null;
  useEffect(() => {
    if (wanted) window.location.replace(wanted);
  }, [wanted]);
  if (wanted) return <div className="boot" role="status" aria-label="Loading" />;
  if (me.data) {
    return (
      <Shell me={me.data}>
        <Pages />
      </Shell>
    );
  }
  if (me.data === null) {
    return (
      <Suspense fallback={<div className="boot" role="status" aria-label="Loading" />}>
        <SignedOut expired={wasSignedIn} />
      </Suspense>
    );
  }
  if (me.error) {
    return (
      <main className="alone">
        <Problem error={me.error} onRetry={me.refetch} />
      </main>
    );
  }
  return <div className="boot" role="status" aria-label="Loading" />;
}

function OpenedSession({ sessionId }: { sessionId: string }) {
  const [Page] = useState(() => loadedPage);
  return <Page sessionId={sessionId} />;
}

function Pages() {
  useEffect(() => void loadSessionPage(), []);
  return (
    <Switch>
      <Route path="/">
        <Suspense fallback={<Skeleton rows={6} label="Loading Home" />}>
          <Home />
        </Suspense>
      </Route>
      <Route path="/inbox">
        <Suspense fallback={<Skeleton rows={6} label="Loading the inbox" />}>
          <InboxPage />
        </Suspense>
      </Route>
      <Route path="/settings">
        <SettingsStart />
      </Route>
      <Route path="/search">
        <Suspense fallback={<Skeleton rows={7} label="Loading the search" />}>
          <SearchPage />
        </Suspense>
      </Route>
      <Route path="/projects/:id/settings/:tab?">
        {({ id, tab }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the project" />}>
            <ProjectSettingsPage key={id} projectId={id} tab={tab} />
          </Suspense>
        )}
      </Route>
      <Route path="/projects/:id">
        {({ id }) => (
          <Suspense fallback={<Skeleton rows={6} label="Loading the project" />}>
            <ProjectPage key={id} projectId={id} />
          </Suspense>
        )}
      </Route>
      <Route path="/sessions/:id/review">
        {({ id }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the changes" />}>
            <ReviewPage key={id} sessionId={id} />
          </Suspense>
        )}
      </Route>
      <Route path="/sessions/:id">
        {({ id }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the session" />}>
            <OpenedSession key={id} sessionId={id} />
          </Suspense>
        )}
      </Route>
      <Route path="/comparisons/:id">
        {({ id }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the attempts" />}>
            <ComparisonPage key={id} comparisonId={id} />
          </Suspense>
        )}
      </Route>
      <Route path="/mcp-servers/:id">
        {({ id }) => (
          <Suspense fallback={<Skeleton rows={6} label="Loading the server" />}>
            <McpServerPage key={id} serverId={id} />
          </Suspense>
        )}
      </Route>
      <Route path="/policies/:place/:tab?">
        {({ place, tab }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the policy" />}>
            <PolicyPage key={place} place={place} tab={tab} />
          </Suspense>
        )}
      </Route>
      <Route path="/agents/:place">
        {({ place }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the agents" />}>
            <AgentsPage key={place} place={place} />
          </Suspense>
        )}
      </Route>
      <Route path="/agents/:place/*">
        {({ place, "*": name }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the agent" />}>
            <AgentPage key={`${place} ${name}`} place={place} name={name ?? ""} />
          </Suspense>
        )}
      </Route>
      <Route path="/mcp-servers">
        <Suspense fallback={<Skeleton rows={4} label="Loading the MCP servers" />}>
          <SiteServersPage />
        </Suspense>
      </Route>
      <Route path="/known-models">
        <Suspense fallback={<Skeleton rows={8} label="Loading the models" />}>
          <ModelTablePage />
        </Suspense>
      </Route>
      <Route path="/configuration">
        <Suspense fallback={<Skeleton rows={6} label="Loading the configuration" />}>
          <SiteConfigurationPage />
        </Suspense>
      </Route>
      <Route path="/workspaces">
        <Suspense fallback={<Skeleton rows={7} label="Loading workspaces" />}>
          <WorkspacesPage />
        </Suspense>
      </Route>
      <Route path="/workspaces/:id">
        {({ id }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the workspace" />}>
            <WorkspacePage key={id} workspaceId={id} />
          </Suspense>
        )}
      </Route>
      {EMAIL_LINK_ROUTES}
      {["/sign-up", "/forgot-password"].map((path) => (
        <Route key={path} path={path}>
          <Redirect to="/" replace />
        </Route>
      ))}
      <Route path="/account/:tab?">
        {({ tab }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading your account" />}>
            <AccountPage tab={tab} />
          </Suspense>
        )}
      </Route>
      <Route path="/teams/:id/:tab?">
        {({ id, tab }) => (
          <Suspense fallback={<Skeleton rows={7} label="Loading the team" />}>
            <TeamPage key={id} teamId={id} tab={tab} />
          </Suspense>
        )}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

/** The settings of the person's first team, or of the account. */
function SettingsStart() {
  const team = useMe().data?.teams[0];
  return <Redirect to={team ? teamPath(team.id) : accountPath()} replace />;
}
