import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createWebhook, type IssuedWebhook, listWebhookEvents } from "../api/webhooks";
import { useProjects } from "../app/queries";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { useAction } from "../ui/useAction";

const USUAL = new Set(["turn.ended", "permission.asked", "question.asked"]);

interface WebhookFormProps {
  teamId: string;
  onMade: (made: IssuedWebhook) => Promise<void>;
}

export function WebhookForm({ teamId, onMade }: WebhookFormProps) {
  const events = useQuery({ queryKey: ["webhook-events"], queryFn: listWebhookEvents }).data?.items ?? [];
  const projects = (useProjects().data?.items ?? []).filter((project) => project.team_id === teamId);
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [project, setProject] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(USUAL);
  const { run, busy, error } = useAction();
  const toggle = (type: string) => {
    const next = new Set(chosen);
    if (!next.delete(type)) next.add(type);
    setChosen(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const fields = { name: name.trim(), url: url.trim(), events: [...chosen] };
      await onMade(await createWebhook(teamId, { ...fields, project_id: project || null }));
      setName("");
      setUrl("");
    });
  };
  return (
    <form className="token-form" onSubmit={submit} aria-label="New webhook">
      <label className="field">
        <span>Name</span>
        <input required maxLength={120} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field">
        <span>Address</span>
        <input
          required
          type="url"
          maxLength={2000}
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </label>
      <label className="field">
        <span>Of</span>
        <select value={project} onChange={(event) => setProject(event.target.value)}>
          <option value="">All projects</option>
          {projects.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <fieldset className="token-scopes">
        <legend>Tell it when</legend>
        {events.map(({ type, meaning }) => (
          <label key={type}>
            <input type="checkbox" checked={chosen.has(type)} onChange={() => toggle(type)} />
            <span>{meaning}</span>
            <code className="muted">{type}</code>
          </label>
        ))}
      </fieldset>
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button primary" disabled={busy || chosen.size === 0}>
        <Icon name="plus" size={14} /> Add webhook
      </button>
    </form>
  );
}
