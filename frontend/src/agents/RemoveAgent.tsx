import { useState } from "react";
import { useLocation } from "wouter";
import type { Agent, AgentRow } from "../api/agents";
import { removeAgent } from "../api/agents";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { agentsPath } from "./paths";
import { refreshAgents } from "./queries";

/** Removes the overrides of this place. An agent that exists only here is deleted. */
export function RemoveAgent({ agent, row }: { agent: Agent; row: AgentRow }) {
  const [, go] = useLocation();
  const [asking, setAsking] = useState(false);
  const { run, busy, error } = useAction();
  const isAlone = agent.sources.every((source) => source.id === row.id);
  const verb = isAlone ? "Delete" : "Remove overrides";
  const remove = async () => {
    const done = await run(async () => {
      await removeAgent(row.id);
      refreshAgents();
    });
    if (done) go(agentsPath(row.place));
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        <Icon name="trash" size={14} /> {verb}…
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} title={`${verb}: ${agent.name}?`}>
        <div className="confirm stack gap-16">
          <p>
            {isAlone
              ? "The agent is deleted and cannot be called any more. Sessions that use it continue with another agent."
              : "The settings made here are lost. The agent then uses the inherited settings."}
          </p>
          {error !== null && <Problem error={error} />}
          <div className="flow end">
            <button type="button" className="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button type="button" className="button danger" disabled={busy} onClick={() => void remove()}>
              <Icon name="trash" size={14} /> {verb}
            </button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
