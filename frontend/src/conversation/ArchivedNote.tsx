import { changeSession } from "../api/endpoints";
import { refreshSessions } from "../app/queries";
import { useConnection } from "../store/SessionContext";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";

/** What an archived session has in place of the prompt box: why nothing can be sent, and the way back. */
export default function ArchivedNote({ sessionId }: { sessionId: string }) {
  const connection = useConnection();
  const { run, busy, error } = useAction();
  const restore = () =>
    run(async () => {
      connection.showSession(await changeSession(sessionId, { archived: false }));
      refreshSessions();
    });
  return (
    <div className="dock-viewer stack gap-8">
      {error !== null && <Problem error={error} />}
      <p className="muted" role="status">
        This session is archived. To send prompts, restore it.
      </p>
      <div>
        <button type="button" className="button" disabled={busy} onClick={() => void restore()}>
          {busy ? "Restoring…" : "Restore from the archive"}
        </button>
      </div>
    </div>
  );
}
