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
import { queryClient, useProjects } from "../app/queries";
import { plural } from "../lib/format";
import type { TeamTabProps } from "../team/tabProps";
import { SecretOnce } from "../tokens/SecretOnce";
import { Dialog } from "../ui/Dialog";
import { ConfirmButton, ExpandableRow } from "../ui/ExpandableRow";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Deliveries, deliveriesKey } from "./Deliveries";
import { WebhookChanges, WebhookForm } from "./WebhookForm";

/** Webhooks of the team and their deliveries. */
export function Webhooks({ team }: TeamTabProps) {
  const hooks = useQuery({
    queryKey: ["teams", team.id, "webhooks"],
    queryFn: () => listWebhooks(team.id),
    refetchInterval: 10_000,
  });
  const [secret, setSecret] = useState("");
  const refresh = () => hooks.refetch();
  return (
    <>
      <p className="muted tab-intro">
        A webhook notifies another service of events in this team. It sends ids, short facts and a link, but
        no text of people or agents, and nothing from private sessions.
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
      {hooks.data?.items.length === 0 && <p className="empty-tab muted">No webhooks yet.</p>}
      <ul className="ruled-top" aria-label="Webhooks">
        {hooks.data?.items.map((hook) => (
          <HookRow key={hook.id} hook={hook} onChanged={refresh} />
        ))}
      </ul>
    </>
  );
}

interface HookRowProps {
  hook: Webhook;
  onChanged: () => Promise<unknown>;
}

function HookRow({ hook, onChanged }: HookRowProps) {
  const [editing, setEditing] = useState(false);
  const [secret, setSecret] = useState("");
  const { run, busy, error } = useAction();
  const act = (action: () => Promise<unknown>) => () =>
    void run(async () => {
      await action();
      await onChanged();
      await queryClient.invalidateQueries({ queryKey: deliveriesKey(hook.id) });
    });
  const button = (label: string, action: () => Promise<unknown>, off = false) => (
    <button type="button" className="button" disabled={busy || off} onClick={act(action)}>
      {label}
    </button>
  );
  return (
    <ExpandableRow
      name={hook.name}
      about={<span className="muted break-anywhere">{hook.url}</span>}
      testId="webhook-row"
      aside={<span className="muted">{stateLabel(hook)}</span>}
      note={<DisabledReason hook={hook} />}
      error={error}
    >
      <p className="muted">
        {plural(hook.events.length, "event")} of <WebhookScope projectId={hook.project_id} />:{" "}
        {hook.events.join(", ")}
      </p>
      <div className="flow">
        <button type="button" className="button" onClick={() => setEditing(true)}>
          Change
        </button>
        {button("Send test event", () => pingWebhook(hook.id), !hook.enabled)}
        {button(hook.enabled ? "Turn off" : "Turn on", () =>
          changeWebhook(hook.id, { enabled: !hook.enabled }),
        )}
        {button("New secret", async () => setSecret((await rotateSecret(hook.id)).secret))}
        <ConfirmButton
          verb="Remove"
          name={hook.name}
          lost="It receives no more events. Its deliveries and their log are deleted."
          busy={busy}
          onConfirm={act(() => removeWebhook(hook.id))}
        />
      </div>
      {secret && <SecretOnce what="signing secret" secret={secret} onClose={() => setSecret("")} />}
      <OldSecret until={hook.old_secret_until} />
      <Dialog open={editing} onClose={() => setEditing(false)} title={`Change ${hook.name}`}>
        <WebhookChanges
          hook={hook}
          onSaved={async () => {
            setEditing(false);
            await onChanged();
          }}
        />
      </Dialog>
      <Deliveries hookId={hook.id} />
    </ExpandableRow>
  );
}

function WebhookScope({ projectId }: { projectId: string | null }) {
  const projects = useProjects().data?.items;
  if (!projectId) return <>all projects</>;
  return <>{projects?.find(({ id }) => id === projectId)?.name ?? "one project"}</>;
}

/** Notice that the previous secret still signs requests for a while. */
function OldSecret({ until }: { until: string | null }) {
  if (!until || new Date(until) <= new Date()) return null;
  const end = new Date(until).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return <p className="muted">The previous secret also signs requests until {end}.</p>;
}

function DisabledReason({ hook }: { hook: Webhook }) {
  if (!hook.disabled_why) return null;
  return (
    <p className="flex align-baseline gap-6">
      <Icon name="warning" size={14} /> Turned off. {hook.disabled_why}
    </p>
  );
}

function stateLabel(hook: Webhook): string {
  if (!hook.enabled) return "Off";
  return hook.failing_since ? "Failing" : "On";
}
