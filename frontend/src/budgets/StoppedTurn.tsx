import { continueSession } from "../api/budgets";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { ProblemBox } from "../ui/ProblemBox";
import { useAction } from "../ui/useAction";

/** Notice that a budget stopped the turn: the reason, who can raise the budget, and a button to continue. */
export function StoppedTurn({ turnId }: { turnId: string }) {
  const turn = useLive((state) => state.turns[turnId]);
  if (!turn?.error || turn.state !== "waiting" || !turn.waits_for) return null;
  return <StoppedNotice sessionId={turn.session_id} message={turn.error.message} hint={turn.error.hint} />;
}

interface StoppedNoticeProps {
  sessionId: string;
  /** Names the session if it is not the one on screen. */
  from?: string;
  message: string;
  hint: string;
}

export function StoppedNotice({ sessionId, from, message, hint }: StoppedNoticeProps) {
  const canAct = useLive((state) => state.canAct);
  const { run, busy, error } = useAction();
  const goOn = () =>
    run(async () => {
      await continueSession(sessionId);
    });
  return (
    <ProblemBox
      icon="wait"
      isWaiting
      role="status"
      testId="stopped-turn"
      head={from && <p className="card-from small medium text-waiting">{from}</p>}
      message={message}
      hint={hint}
    >
      {error !== null && <Problem error={error} />}
      {canAct && (
        <button type="button" className="button" disabled={busy} onClick={() => void goOn()}>
          <Icon name="retry" /> Continue
        </button>
      )}
    </ProblemBox>
  );
}
