import { lazy, Suspense, useRef, useState } from "react";
import { useStore } from "zustand";
import { useSessionAgents } from "../agents/queries";
import { abortSession } from "../api/endpoints";
import { StartAttempts } from "../comparisons/StartAttempts";
import { useConnection, useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useDrop } from "../ui/useDrop";
import { RevertBar } from "../undo/RevertBar";
import { AgentMenu } from "./AgentMenu";
import { AttachButton } from "./AttachButton";
import { DraftFileList } from "./DraftFileList";
import { areReady } from "./draftFiles";
import { ModelPicker } from "./ModelPicker";
import { usePrompt } from "./PromptContext";
import { PromptText } from "./PromptText";
import { TodoStrip } from "./TodoStrip";
import { WaitingHint } from "./WaitingHint";
import "./Prompt.css";

const ArchivedNote = lazy(() => import("./ArchivedNote"));

export function PromptBox({ sessionId }: { sessionId: string }) {
  const canAct = useLive((state) => state.canAct);
  const isArchived = useLive((state) => state.session?.archived ?? false);
  const loaded = useLive((state) => state.seq !== null);
  if (loaded && !canAct) {
    return (
      <div className="dock no-shrink">
        <RevertBar />
        <p className="dock-viewer muted">
          You can watch this session, but your role does not allow you to send prompts.
        </p>
      </div>
    );
  }
  if (loaded && isArchived) {
    return (
      <div className="dock no-shrink">
        <Suspense>
          <ArchivedNote sessionId={sessionId} />
        </Suspense>
      </div>
    );
  }
  return (
    <div className="dock no-shrink">
      <PromptForm sessionId={sessionId} loaded={loaded} />
    </div>
  );
}

function PromptForm({ sessionId, loaded }: { sessionId: string; loaded: boolean }) {
  const { draft, files, error, notice, send } = usePrompt();
  const busy = useLive((state) => state.session?.status !== "idle" && state.session !== null);
  const drafted = useStore(files.store, (state) => state.files);
  const box = useRef<HTMLTextAreaElement>(null);
  const isOver = useDrop((dropped) => files.add([...dropped.files]));
  const ready = areReady(drafted) && (draft.trim() !== "" || drafted.length > 0);
  const submit = () => {
    if (ready) void send(draft);
    box.current?.focus();
  };
  return (
    <form
      className="prompt"
      data-drop={isOver || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {error !== null && <Problem error={error} />}
      {notice && (
        <p className="prompt-notice small muted" role="status">
          {notice}
        </p>
      )}
      <RevertBar />
      <WaitingHint />
      <TodoStrip />
      <DraftFileList draft={files} />
      <PromptText ref={box} sessionId={sessionId} busy={busy} onSubmit={submit} />
      <div className="prompt-foot line">
        <AgentMenu sessionId={sessionId} />
        <ModelOfSession sessionId={sessionId} />
        <span className="spacer" />
        <StartAttempts sessionId={sessionId} />
        <AttachButton onFiles={files.add} />
        {busy && <StopButton sessionId={sessionId} />}
        <button type="submit" className="button primary" disabled={!ready || !loaded}>
          {busy ? "Queue" : "Send"}
          <Icon name="send" size={14} />
        </button>
      </div>
      {isOver && <p className="drop-here medium">Drop files to attach them</p>}
    </form>
  );
}

function StopButton({ sessionId }: { sessionId: string }) {
  const connection = useConnection();
  const [stopping, setStopping] = useState(false);
  const stop = async () => {
    setStopping(true);
    try {
      connection.showSession(await abortSession(sessionId));
    } finally {
      setStopping(false);
    }
  };
  return (
    <button type="button" className="button stop" disabled={stopping} onClick={() => void stop()}>
      <Icon name="stop" size={14} />
      {stopping ? "Stopping" : "Stop"}
    </button>
  );
}

/** The menus of model and effort. A model that was chosen for the session overrides the agent's. */
function ModelOfSession({ sessionId }: { sessionId: string }) {
  const current = useLive((state) => state.session?.agent ?? "");
  const { selectable } = useSessionAgents(sessionId, current);
  const agent = selectable.find(({ name }) => name === current);
  return <ModelPicker ofAgent={agent?.model ?? ""} effortOfAgent={agent?.variant ?? ""} />;
}
