import { useState } from "react";
import { useLocation } from "wouter";
import type { Agent, AgentRow } from "../api/agents";
import { removeAgent } from "../api/agents";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { Icon } from "../ui/Icon";
import { agentsPath } from "./paths";
import { refreshAgents } from "./queries";

/** Removes the overrides of this place. An agent that exists only here is deleted. */
export function RemoveAgent({ agent, row }: { agent: Agent; row: AgentRow }) {
  const [, go] = useLocation();
  const [asking, setAsking] = useState(false);
  const isAlone = agent.sources.every((source) => source.id === row.id);
  const verb = isAlone ? "Delete" : "Remove overrides";
  const remove = async () => {
    await removeAgent(row.id);
    refreshAgents();
    go(agentsPath(row.place));
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        <Icon name="trash" size={14} /> {verb}…
      </button>
      <ConfirmDialog
        open={asking}
        title={`${verb}: ${agent.name}?`}
        verb={verb}
        icon="trash"
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        <p>
          {isAlone
            ? "The agent is deleted and cannot be called any more. Sessions that use it continue with another agent."
            : "The settings made here are lost. The agent then uses the inherited settings."}
        </p>
      </ConfirmDialog>
    </>
  );
}
