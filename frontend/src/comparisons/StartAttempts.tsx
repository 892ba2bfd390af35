import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { listComparisons, startComparison } from "../api/comparisons";
import { refreshSessions } from "../app/queries";
import { usePrompt } from "../conversation/PromptContext";
import { useModels } from "../providers/queries";
import { useLive } from "../store/SessionContext";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import "./comparisons.css";

const COUNTS = [2, 3, 4];

/** Opens the form that sends the drafted prompt to several forks of the session. */
export function StartAttempts({ sessionId }: { sessionId: string }) {
  const isChild = useLive((state) => !!state.session?.parent_id);
  const [isOpen, setOpen] = useState(false);
  if (isChild) return null;
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Run several attempts"
        title="Run several attempts at this prompt, and keep one"
        onClick={() => setOpen(true)}
      >
        <Icon name="stack" />
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Run several attempts">
        <StartForm sessionId={sessionId} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function StartForm({ sessionId, onDone }: { sessionId: string; onDone: () => void }) {
  const [, go] = useLocation();
  const { draft, setDraft, files } = usePrompt();
  const [text, setText] = useState(draft);
  const [models, setModels] = useState<string[]>(["", "", ""]);
  const [command, setCommand] = useState("");
  const { run, busy, error } = useAction();
  const start = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const attachments = files.take().map(({ id }) => id);
      const made = await startComparison(sessionId, {
        text,
        models,
        attachments,
        test_command: command.trim(),
      });
      setDraft("");
      refreshSessions();
      onDone();
      go(`/comparisons/${made.id}`);
    });
  };
  const resize = (count: number) =>
    setModels((chosen) => Array.from({ length: count }, (_, index) => chosen[index] ?? ""));
  return (
    <form className="confirm start-attempts stack gap-16" onSubmit={start}>
      <p className="muted">
        Each attempt is a fork of this session in a workspace of its own. All start with the files of the last
        archive of this workspace, or with the project's initial files. You then compare them and keep one.
      </p>
      <label className="stack gap-6">
        <span className="semibold">Prompt</span>
        <textarea value={text} disabled={busy} onChange={(event) => setText(event.target.value)} />
      </label>
      <label className="line between">
        <span className="semibold">Attempts</span>
        <select
          value={models.length}
          disabled={busy}
          onChange={(event) => resize(Number(event.target.value))}
        >
          {COUNTS.map((count) => (
            <option key={count}>{count}</option>
          ))}
        </select>
      </label>
      <Models
        models={models}
        busy={busy}
        onChange={(place, model) =>
          setModels((chosen) => chosen.map((each, index) => (index === place ? model : each)))
        }
      />
      <label className="stack gap-6">
        <span className="semibold">Test command (optional)</span>
        <input
          className="mono"
          value={command}
          maxLength={500}
          placeholder="make test"
          disabled={busy}
          onChange={(event) => setCommand(event.target.value)}
        />
        <span className="small muted">
          The agents are asked to run it at the end. Rules and permissions apply as always.
        </span>
      </label>
      {error !== null && <Problem error={error} />}
      <Earlier sessionId={sessionId} />
      <div className="flow end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy || text.trim() === ""}>
          Start {models.length} attempts
        </button>
      </div>
    </form>
  );
}

interface ModelsProps {
  models: readonly string[];
  busy: boolean;
  onChange: (place: number, model: string) => void;
}

/** The model of each attempt, where the project has a choice. */
function Models({ models, busy, onChange }: ModelsProps) {
  const projectId = useLive((state) => state.session?.project_id ?? "");
  const current = useLive((state) => state.session?.model ?? "");
  const menu = useModels(projectId).data;
  const offered = menu?.items.filter((model) => !model.refusal) ?? [];
  if (offered.length < 2) return null;
  return (
    <fieldset className="stack gap-6" disabled={busy}>
      <legend className="semibold">Models</legend>
      {models.map((model, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no other identity yet
        <label key={place} className="line between">
          Attempt {place + 1}
          <select value={model} onChange={(event) => onChange(place, event.target.value)}>
            <option value="">{current || "Model of the session"}</option>
            {offered.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  );
}

/** Links to comparisons that were started from this session before. */
function Earlier({ sessionId }: { sessionId: string }) {
  const found = useQuery({
    queryKey: ["comparisons", sessionId],
    queryFn: () => listComparisons(sessionId),
  }).data;
  if (!found?.items?.length) return null;
  return (
    <section className="small" aria-label="Earlier attempts">
      <p className="muted">Earlier attempts:</p>
      <ul className="stack gap-2">
        {found.items.map((row) => (
          <li key={row.id} className="ellipsis">
            <Link href={`/comparisons/${row.id}`} className="link">
              {row.prompt}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
