import { continueSession } from "../api/budgets";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";

/** In the conversation, where a budget stopped it: why, who can raise it, and going on. */
export function StoppedTurn({ turnId }: { turnId: string }) {
  const turn = useLive((state) => state.turns[turnId]);
  const canAct = useLive((state) => state.canAct);
  const { run, busy, error } = useAction();
  if (!turn?.error || turn.state !== "waiting" || !turn.waits_for) return null;
  const goOn = () =>
    run(async () => {
      await continueSession(turn.session_id);
    });
  return (
    <div className="problem stopped-turn" role="status" data-testid="stopped-turn">
      <Icon name="wait" />
      <div>
        <p className="problem-message">{turn.error.message}</p>
        <p className="problem-hint">{turn.error.hint}</p>
        {error !== null && <Problem error={error} />}
        {canAct && (
          <button type="button" className="button" disabled={busy} onClick={() => void goOn()}>
            <Icon name="retry" /> Continue
          </button>
        )}
      </div>
    </div>
  );
}
