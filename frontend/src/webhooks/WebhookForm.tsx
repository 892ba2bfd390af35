import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import {
  changeWebhook,
  createWebhook,
  type IssuedWebhook,
  listWebhookEvents,
  type Webhook,
} from "../api/webhooks";
import { useProjects } from "../app/queries";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { OptionList } from "../ui/OptionList";
import { useAction } from "../ui/useAction";

const DEFAULT_EVENTS = new Set(["turn.ended", "permission.asked", "question.asked"]);

interface WebhookFormProps {
  teamId: string;
  onMade: (made: IssuedWebhook) => Promise<void>;
}

export function WebhookForm({ teamId, onMade }: WebhookFormProps) {
  const projects = (useProjects().data?.items ?? []).filter((project) => project.team_id === teamId);
  const [project, setProject] = useState("");
  return (
    <WebhookFields
      title="New webhook"
      before={{ name: "", url: "", events: DEFAULT_EVENTS }}
      save={async (fields) => onMade(await createWebhook(teamId, { ...fields, project_id: project || null }))}
      act={
        <>
          <Icon name="plus" size={14} /> Add webhook
        </>
      }
    >
      <label className="field">
        <span>Project</span>
        <select value={project} onChange={(event) => setProject(event.target.value)}>
          <option value="">All projects</option>
          <OptionList of={projects.map((one) => [one.id, one.name])} />
        </select>
      </label>
    </WebhookFields>
  );
}

/** Form to change name, URL and events of a webhook. Its project cannot be changed. */
export function WebhookChanges({ hook, onSaved }: { hook: Webhook; onSaved: () => Promise<unknown> }) {
  return (
    <WebhookFields
      title={`Change ${hook.name}`}
      before={hook}
      save={async (fields) => {
        await changeWebhook(hook.id, fields);
        await onSaved();
      }}
      act="Save"
    />
  );
}

type Fields = Pick<Webhook, "name" | "url" | "events">;

interface WebhookFieldsProps {
  title: string;
  before: { name: string; url: string; events: Iterable<string> };
  save: (fields: Fields) => Promise<void>;
  act: ReactNode;
  children?: ReactNode;
}

function WebhookFields({ title, before, save, act, children }: WebhookFieldsProps) {
  const events = useQuery({ queryKey: ["webhook-events"], queryFn: listWebhookEvents }).data?.items ?? [];
  const [name, setName] = useState(before.name);
  const [url, setUrl] = useState(before.url);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(before.events));
  const { run, busy, error } = useAction();
  const toggle = (type: string) => {
    const next = new Set(chosen);
    if (!next.delete(type)) next.add(type);
    setChosen(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await save({ name: name.trim(), url: url.trim(), events: [...chosen] });
      setName(before.name);
      setUrl(before.url);
    });
  };
  return (
    <form className="token-form ruled" onSubmit={submit} aria-label={title}>
      <label className="field">
        <span>Name</span>
        <input required maxLength={120} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field">
        <span>URL</span>
        <input
          required
          type="url"
          maxLength={2000}
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </label>
      {children}
      <fieldset className="token-scopes full-row stack gap-6">
        <legend>Events</legend>
        {events.map(({ type, meaning }) => (
          <label key={type}>
            <input type="checkbox" checked={chosen.has(type)} onChange={() => toggle(type)} />
            <span>{meaning}</span>
            <code className="small muted">{type}</code>
          </label>
        ))}
      </fieldset>
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button primary" disabled={busy || chosen.size === 0}>
        {act}
      </button>
    </form>
  );
}
