import { useState } from "react";
import { useAgents } from "../agents/queries";
import { explain } from "../api/policies";
import type { Explanation } from "../api/policyTypes";
import { CommandFacts } from "../permissions/CommandFacts";
import { ActionMark } from "../permissions/RuleLine";
import { factsOfAnalysis } from "../permissions/shellFacts";
import { WhyDecisions } from "../permissions/WhyDecisions";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { PERMISSIONS_LIST } from "./permissions";

interface Asked {
  permission: string;
  subject: string;
  agent: string;
}

/** Explains what would be decided about a command or permission, and why. */
export function ExplainBox({ projectId }: { projectId: string | undefined }) {
  const agents = useAgents(projectId ?? "site").data?.items.map((agent) => agent.name) ?? ["build"];
  const [asked, setAsked] = useState<Asked>({ permission: "bash", subject: "", agent: "build" });
  const [found, setFound] = useState<Explanation | null>(null);
  const { run, busy, error } = useAction();
  if (!projectId) return <p className="empty-tab">There is no project yet to try a call in.</p>;
  const set = (change: Partial<Asked>) => setAsked({ ...asked, ...change });
  const ask = () => run(async () => setFound(await explain(questionOf(projectId, asked))));
  return (
    <section className="explain" aria-label="Why">
      <p className="muted">
        Enter a command, or a permission and its subject, to see what the saved policies decide about it.
      </p>
      <form
        className="tool-line"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <input
          aria-label="Permission"
          className="explain-permission"
          list={PERMISSIONS_LIST}
          value={asked.permission}
          onChange={(event) => set({ permission: event.target.value })}
        />
        <input
          aria-label={asked.permission === "bash" ? "Command" : "Subject"}
          className="explain-subject"
          placeholder={asked.permission === "bash" ? "git push --force origin main" : "src/.env"}
          spellCheck={false}
          autoComplete="off"
          value={asked.subject}
          onChange={(event) => set({ subject: event.target.value })}
        />
        <select
          aria-label="Agent"
          value={asked.agent}
          onChange={(event) => set({ agent: event.target.value })}
        >
          {agents.map((agent) => (
            <option key={agent}>{agent}</option>
          ))}
        </select>
        <button
          type="submit"
          className="button primary"
          disabled={busy || !asked.permission.trim() || !asked.subject.trim()}
        >
          Explain
        </button>
      </form>
      {error !== null && <Problem error={error} />}
      {found && <Answer explanation={found} />}
    </section>
  );
}

function questionOf(project_id: string, { permission, subject, agent }: Asked) {
  if (permission === "bash") return { project_id, agent, tool: "bash", arguments: { command: subject } };
  return { project_id, agent, permission, pattern: subject };
}

function Answer({ explanation }: { explanation: Explanation }) {
  return (
    <div className="explained" data-testid="explanation" aria-live="polite">
      <p>
        Decision: <ActionMark action={explanation.action} />
      </p>
      {explanation.analysis && <CommandFacts facts={factsOfAnalysis(explanation.analysis)} />}
      <WhyDecisions decisions={explanation.decisions} />
    </div>
  );
}
