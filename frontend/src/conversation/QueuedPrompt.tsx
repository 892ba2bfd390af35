import { lazy, Suspense, useState } from "react";
import { useMe } from "../app/queries";
import { useLive } from "../store/SessionContext";
import { isQueued, leftPrompts } from "./layout";

const QueuedActions = lazy(() => import("./QueuedActions"));

/**
 * The line below a prompt that waits for the agent, or that it had not read when the turn was stopped. Who changes it
 * keeps the text when the agent takes the prompt meanwhile.
 */
export function QueuedPrompt({ messageId, text }: { messageId: string; text: string }) {
  const queued = useLive((state) => isQueued(state, messageId));
  const isLeft = useLive((state) =>
    leftPrompts(state, state.messages[messageId]?.turn_id ?? "").includes(messageId),
  );
  const canAct = useLive((state) => state.canAct);
  const author = useLive((state) => state.messages[messageId]?.author?.id);
  // The text of a command stands for more than itself.
  const isCommand = useLive((state) =>
    (state.partIdsByMessage[messageId] ?? []).some((id) => state.parts[id]?.type === "command"),
  );
  const me = useMe().data?.user.id;
  const [isEditing, setEditing] = useState(false);
  if (!queued && !isLeft && !isEditing) return null;
  const canChange = author !== undefined && author === me && !isCommand && !text.startsWith("!");
  return (
    <div className="queued stack gap-6">
      {(queued || isLeft) && (
        <span className="small muted" data-testid="queued" role="status">
          {queued
            ? "Queued: the agent reads it when this step has ended."
            : "Not answered: the turn was stopped before the agent read this."}
        </span>
      )}
      {canAct && (
        <Suspense>
          <QueuedActions
            messageId={messageId}
            text={text}
            queued={queued}
            isLeft={isLeft}
            canChange={canChange && queued}
            isEditing={isEditing}
            onEdit={setEditing}
          />
        </Suspense>
      )}
    </div>
  );
}
