import { abortSession } from "../api/endpoints";
import { switchTurnModel } from "../api/runningTurn";
import { useModels } from "../providers/queries";
import { useConnection, useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";

/** Stops a turn whose model does not answer, or lets another model continue it. */
export default function RetryActions({ turnId }: { turnId: string }) {
  const connection = useConnection();
  const canAct = useLive((state) => state.canAct);
  const sessionId = useLive((state) => state.session?.id ?? "");
  const asked = useLive((state) => {
    const last = state.messageIdsByTurn[turnId]?.at(-1) ?? "";
    return state.messages[last]?.model || state.session?.model;
  });
  const models = useModels(useLive((state) => state.session?.project_id ?? "")).data?.items ?? [];
  const { run, busy, error } = useAction();
  if (!canAct) return null;
  const others = models.filter((model) => !model.refusal && model.id !== asked);
  return (
    <>
      <div className="line gap-6">
        <button
          type="button"
          className="button small"
          disabled={busy}
          onClick={() => void run(async () => connection.showSession(await abortSession(sessionId)))}
        >
          <Icon name="stop" size={14} /> Stop
        </button>
        {others.length > 0 && (
          <Menu
            className="button small"
            label="Another model"
            listClass="choice-list"
            entries={() =>
              others.map(({ id, provider_name }) => ({
                label: id,
                hint: provider_name,
                run: () =>
                  run(async () => {
                    await switchTurnModel(turnId, id);
                  }),
              }))
            }
          >
            Another model
          </Menu>
        )}
      </div>
      {error !== null && <Problem error={error} />}
    </>
  );
}
