import { useState } from "react";
import { useAgents } from "../agents/queries";
import { explain } from "../api/policies";
import type { Explanation } from "../api/policyTypes";
import { CommandFacts } from "../permissions/CommandFacts";
import { DecisionList } from "../permissions/DecisionList";
import { ActionMark } from "../permissions/RuleLine";
import { factsOfAnalysis } from "../permissions/shellFacts";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { PERMISSIONS_LIST } from "./permissions";
import "./tabs.css";

interface ExplainInput {
  permission: string;
  subject: string;
  agent: string;
}

/** Explains what would be decided about a command or permission, and why. */
export function ExplainBox({ projectId }: { projectId: string | undefined }) {
  const agents = useAgents(projectId ?? "site").data?.items.map((agent) => agent.name) ?? ["build"];
  const [input, setInput] = useState<ExplainInput>({ permission: "bash", subject: "", agent: "build" });
  const [found, setFound] = useState<Explanation | null>(null);
  const { run, busy, error } = useAction();
  if (!projectId) return <p className="empty-tab muted">There is no project yet to try a call in.</p>;
  const set = (change: Partial<ExplainInput>) => setInput({ ...input, ...change });
  const ask = () => run(async () => setFound(await explain(explainRequest(projectId, input))));
  return (
    <section className="explain" aria-label="Why">
      <p className="muted">
        Enter a command, or a permission and its subject, to see what the saved policies decide about it.
      </p>
      <form
        className="tool-line cluster gap-12 gap-y-8"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <input
          aria-label="Permission"
          className="explain-permission mono"
          list={PERMISSIONS_LIST}
          value={input.permission}
          onChange={(event) => set({ permission: event.target.value })}
        />
        <input
          aria-label={input.permission === "bash" ? "Command" : "Subject"}
          className="explain-subject mono"
          placeholder={input.permission === "bash" ? "git push --force origin main" : "src/.env"}
          spellCheck={false}
          autoComplete="off"
          value={input.subject}
          onChange={(event) => set({ subject: event.target.value })}
        />
        <select
          aria-label="Agent"
          value={input.agent}
          onChange={(event) => set({ agent: event.target.value })}
        >
          {agents.map((agent) => (
            <option key={agent}>{agent}</option>
          ))}
        </select>
        <button
          type="submit"
          className="button primary"
          disabled={busy || !input.permission.trim() || !input.subject.trim()}
        >
          Explain
        </button>
      </form>
      {error !== null && <Problem error={error} />}
      {found && <ExplanationResult explanation={found} />}
    </section>
  );
}

function explainRequest(project_id: string, { permission, subject, agent }: ExplainInput) {
  if (permission === "bash") return { project_id, agent, tool: "bash", arguments: { command: subject } };
  return { project_id, agent, permission, pattern: subject };
}

function ExplanationResult({ explanation }: { explanation: Explanation }) {
  return (
    <div className="explained boxed stack gap-16" data-testid="explanation" aria-live="polite">
      <p>
        Decision: <ActionMark action={explanation.action} />
      </p>
      {explanation.analysis && <CommandFacts facts={factsOfAnalysis(explanation.analysis)} />}
      <DecisionList decisions={explanation.decisions} />
    </div>
  );
}
