import "../styles/access.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeWebhook,
  listWebhooks,
  pingWebhook,
  removeWebhook,
  rotateSecret,
  type Webhook,
} from "../api/webhooks";
import { queryClient } from "../app/queries";
import { plural } from "../lib/format";
import type { TeamTabProps } from "../team/tabs";
import { SecretOnce } from "../tokens/SecretOnce";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Deliveries, deliveriesKey } from "./Deliveries";
import { WebhookChanges, WebhookForm } from "./WebhookForm";

/** Where the team's events are sent, and what came of each. */
export function Webhooks({ team }: TeamTabProps) {
  const hooks = useQuery({
    queryKey: ["teams", team.id, "webhooks"],
    queryFn: () => listWebhooks(team.id),
  });
  const [secret, setSecret] = useState("");
  const refresh = () => hooks.refetch();
  return (
    <>
      <p className="muted tab-intro">
        A webhook tells another service what happens here: ids, small facts and a link, nothing that people or
        agents wrote, and nothing of private sessions.
      </p>
      <WebhookForm
        teamId={team.id}
        onMade={async (made) => {
          setSecret(made.secret);
          await refresh();
        }}
      />
      {secret && <SecretOnce what="signing secret" secret={secret} onClose={() => setSecret("")} />}
      {hooks.isPending && <Skeleton rows={4} label="Loading the webhooks" />}
      {hooks.error && <Problem error={hooks.error} />}
      {hooks.data?.items.length === 0 && <p className="empty-tab">No webhooks yet.</p>}
      <ul className="rows" aria-label="Webhooks">
        {hooks.data?.items.map((hook) => (
          <HookRow key={hook.id} hook={hook} onChanged={refresh} onSecret={setSecret} />
        ))}
      </ul>
    </>
  );
}

interface HookRowProps {
  hook: Webhook;
  onChanged: () => Promise<unknown>;
  onSecret: (secret: string) => void;
}

function HookRow({ hook, onChanged, onSecret }: HookRowProps) {
  const [open, setOpen] = useState(false);
  const [changing, setChanging] = useState(false);
  const { run, busy, error } = useAction();
  const act = (action: () => Promise<unknown>) => () =>
    void run(async () => {
      await action();
      await onChanged();
      await queryClient.invalidateQueries({ queryKey: deliveriesKey(hook.id) });
    });
  return (
    <li className="access-row" data-testid="webhook-row">
      <div className="access-line">
        <button
          type="button"
          className="access-name"
          aria-expanded={open}
          onClick={() => setOpen((was) => !was)}
        >
          <Icon name="chevron" size={12} />
          <span className="member-name">{hook.name}</span>
          <span className="muted access-url">{hook.url}</span>
        </button>
        <span className="muted">{stateWords(hook)}</span>
      </div>
      {hook.disabled_why && (
        <p className="access-problem">
          <Icon name="warning" size={14} /> Switched off. {hook.disabled_why}
        </p>
      )}
      {error !== null && <Problem error={error} />}
      {open && (
        <div className="access-body">
          <p className="muted">
            {plural(hook.events.length, "event")}: {hook.events.join(", ")}
          </p>
          <div className="access-acts">
            <button
              type="button"
              className="button"
              disabled={busy || !hook.enabled}
              onClick={act(() => pingWebhook(hook.id))}
            >
              Send a ping
            </button>
            <button
              type="button"
              className="button"
              disabled={busy}
              onClick={act(() => changeWebhook(hook.id, { enabled: !hook.enabled }))}
            >
              {hook.enabled ? "Switch off" : "Switch on"}
            </button>
            <button
              type="button"
              className="button"
              disabled={busy}
              onClick={act(async () => onSecret((await rotateSecret(hook.id)).secret))}
            >
              New secret
            </button>
            <button type="button" className="button" disabled={busy} onClick={() => setChanging(true)}>
              Change
            </button>
            <RemoveHook hook={hook} busy={busy} onRemove={act(() => removeWebhook(hook.id))} />
          </div>
          <Deliveries hookId={hook.id} />
          <Dialog open={changing} onClose={() => setChanging(false)} title={`Change ${hook.name}`}>
            <WebhookChanges
              hook={hook}
              onSaved={async () => {
                setChanging(false);
                await onChanged();
              }}
            />
          </Dialog>
        </div>
      )}
    </li>
  );
}

function RemoveHook({ hook, busy, onRemove }: { hook: Webhook; busy: boolean; onRemove: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="button danger" disabled={busy} onClick={() => setAsking(true)}>
        Remove…
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} title={`Remove ${hook.name}?`}>
        <div className="confirm">
          <dl>
            <div>
              <dt>Lost</dt>
              <dd>It is told nothing more. Its deliveries and their log are deleted.</dd>
            </div>
          </dl>
          <div className="confirm-foot">
            <button type="button" className="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button type="button" className="button danger" disabled={busy} onClick={onRemove}>
              Remove
            </button>
          </div>
        </div>
      </Dialog>
    </>
  );
}

function stateWords(hook: Webhook): string {
  if (!hook.enabled) return "Off";
  return hook.failing_since ? "Failing" : "On";
}
