import { useState } from "react";
import { useLocation } from "wouter";
import { forkSession } from "../api/endpoints";
import { refreshSessions } from "../app/queries";
import { useLive } from "../store/SessionContext";
import type { SessionState } from "../store/state";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { RadioChoices } from "../ui/RadioChoices";
import { useAction } from "../ui/useAction";
import "./SessionHeader.css";

/** Continues a copy of the conversation in a new session, for people who can act in it. */
export function ForkButton({ sessionId }: { sessionId: string }) {
  const canFork = useLive((state) => mayFork(state) && Object.keys(state.messages).length > 0);
  const [isOpen, setOpen] = useState(false);
  if (!canFork) return null;
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Fork this session"
        title="Fork this session"
        data-testid="fork-button"
        onClick={() => setOpen(true)}
      >
        <Icon name="copy" />
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Fork this session">
        <ForkForm sessionId={sessionId} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** Forks the session at the end of a finished turn. */
export function ForkFromHere({ turnId }: { turnId: string }) {
  const sessionId = useLive((state) =>
    mayFork(state) && !state.alternatives[turnId]?.hidden_with_id ? state.session?.id : undefined,
  );
  const messageId = useLive((state) => state.messageIdsByTurn[turnId]?.at(-1));
  const [isOpen, setOpen] = useState(false);
  if (!sessionId || !messageId) return null;
  return (
    <>
      <button type="button" className="quiet-button inline gap-8 small muted" onClick={() => setOpen(true)}>
        <Icon name="copy" size={12} /> Fork from here
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Fork from here">
        <ForkForm sessionId={sessionId} messageId={messageId} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

const mayFork = (state: SessionState): boolean => state.canAct && !state.session?.parent_id;

type Files = "then" | "now" | "same";
interface FileChoice {
  value: Files;
  label: string;
  hint: string;
}

const THEN: FileChoice = {
  value: "then",
  label: "As they were at this point",
  hint: "A new workspace, in which later changes of files are taken back. The new session names changes that cannot be taken back.",
};
const NOW: FileChoice = {
  value: "now",
  label: "As they are now",
  hint: "A new workspace with the files of the last archive, usually from the end of the last turn, or the project's initial files if there is none.",
};
const SAME: FileChoice = {
  value: "same",
  label: "The same workspace",
  hint: "Both sessions work on the same files and see each other's changes.",
};

const WHOLE_SESSION_HINT =
  "A new session continues from the conversation as it is now, without steps that are still running.";
const UP_TO_HERE_HINT = "A new session continues from this point of the conversation.";

interface ForkFormProps {
  sessionId: string;
  /** The last message to copy; all finished messages without it. */
  messageId?: string;
  onDone: () => void;
}

function ForkForm({ sessionId, messageId, onDone }: ForkFormProps) {
  const [, go] = useLocation();
  const choices = messageId ? [THEN, NOW, SAME] : [NOW, SAME];
  const [files, setFiles] = useState<Files>(messageId ? "then" : "now");
  const { run, busy, error } = useAction();
  const fork = () =>
    run(async () => {
      const made = await forkSession(sessionId, files, messageId);
      refreshSessions();
      onDone();
      go(`/sessions/${made.session.id}`);
    });
  return (
    <div className="confirm stack gap-16">
      <p>
        {messageId ? UP_TO_HERE_HINT : WHOLE_SESSION_HINT} This session does not change. Permissions that you
        always allowed for this session are requested again in the new one.
      </p>
      <RadioChoices
        className="fork-files"
        legend="Files of the new session"
        name="fork-files"
        choices={choices}
        chosen={files}
        onChoose={setFiles}
        disabled={busy}
      />
      {error !== null && <Problem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button type="button" className="button primary" disabled={busy} onClick={() => void fork()}>
          Fork session
        </button>
      </div>
    </div>
  );
}
