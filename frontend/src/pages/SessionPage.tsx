import { useEffect } from "react";
import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";
import { Conversation } from "../conversation/Conversation";
import { PromptBox } from "../conversation/PromptBox";
import { PromptProvider } from "../conversation/PromptContext";
import { FilesAtHand } from "../files/FileLink";
import { visibleSession } from "../permissions/visibleSession";
import { useFreshLists } from "../sessions/freshLists";
import { useSeen } from "../sessions/marks";
import { SessionProvider, useLive } from "../store/SessionContext";
import { useSessionConnection } from "../store/useSessionConnection";
import { Skeleton } from "../ui/Notice";
import { RightColumn } from "../workbench/columns";
import { SessionHeader } from "../workbench/SessionHeader";
import { SidePanel } from "../workbench/SidePanel";
import { NotFound } from "./NotFound";
import "./pages.css";

export { prepareConnection } from "../store/useSessionConnection";

export function SessionPage({ sessionId }: { sessionId: string }) {
  const connection = useSessionConnection(sessionId);
  useEffect(() => {
    visibleSession.setState({ id: sessionId });
    return () => visibleSession.setState({ id: null });
  }, [sessionId]);
  if (!connection) return null;
  return (
    <SessionProvider value={connection}>
      <PromptProvider sessionId={sessionId}>
        <FilesAtHand value={true}>
          <Workbench sessionId={sessionId} />
        </FilesAtHand>
      </PromptProvider>
    </SessionProvider>
  );
}

function Workbench({ sessionId }: { sessionId: string }) {
  const ended = useLive((state) => state.ended);
  const title = useLive((state) => state.session?.title ?? "");
  const status = useLive((state) => state.session?.status);
  useSeen(sessionId);
  useTabTitle(title, useWaiting().count);
  useFreshLists(title, status);
  if (ended === "unknown") return <NotFound what="session" />;
  return (
    <div className="workbench">
      <main className="centre vertical grow" id="main">
        <SessionHeader sessionId={sessionId} />
        <Loaded>
          <Conversation />
        </Loaded>
        <PromptBox sessionId={sessionId} />
      </main>
      <RightColumn>
        <SidePanel sessionId={sessionId} />
      </RightColumn>
    </div>
  );
}

function Loaded({ children }: { children: React.ReactNode }) {
  const loaded = useLive((state) => state.seq !== null);
  if (loaded) return children;
  return (
    <div className="conversation">
      <div className="reading">
        <Skeleton rows={7} label="Loading the conversation" />
      </div>
    </div>
  );
}
