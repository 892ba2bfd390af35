import { useState } from "react";
import { useLocation } from "wouter";
import type { Agent, AgentRow } from "../api/agents";
import { changeAgent, createAgent } from "../api/agents";
import { hasCode } from "../api/http";
import { plural } from "../lib/format";
import { readStored, writeStored } from "../lib/storage";
import { FieldsProblem } from "../ui/FieldsProblem";
import { useAction } from "../ui/useAction";
import { AgentFields } from "./AgentFields";
import type { AgentEditing } from "./editing";
import { type AgentChanges, fieldState, missing, withChange } from "./fields";
import { agentPath } from "./paths";
import { refreshAgents } from "./queries";
import { RemoveAgent } from "./RemoveAgent";
import "./agents.css";

interface AgentFormProps {
  place: string;
  agent: Agent;
  /** The saved overrides of this place, if any. */
  row: AgentRow | null;
  models: readonly string[];
  canEdit: boolean;
}

/** Form for an agent. The draft is kept in this browser until it is saved or discarded. */
export function AgentForm({ place, agent, row, models, canEdit }: AgentFormProps) {
  const [, go] = useLocation();
  const { changes, setChanges } = useChanges(place, agent.name);
  const [name, setName] = useState(agent.name);
  const { run, busy, error, clear } = useAction();
  const isNew = agent.name === "";
  const count = Object.keys(changes).length;
  const isChanged = count > 0 || (isNew && name !== "");
  const missingText = isChanged ? missing(name, changes) : "";
  const save = () =>
    run(async () => {
      if (row) await changeAgent(row.id, changes, row.version);
      else await createAgent(place, name.trim(), changes);
      setChanges({});
      refreshAgents();
      if (isNew) go(agentPath(place, name.trim()));
    });
  const discard = () => {
    setChanges({});
    setName(agent.name);
    clear();
  };
  const editing: AgentEditing = {
    state: (field) => fieldState(agent, row, changes, field),
    change: (field, value) => setChanges(withChange(row, changes, field, value)),
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !missingText) void save();
      }}
    >
      <fieldset className="agent-fields" disabled={!canEdit || busy}>
        <legend className="sr-only">Agent</legend>
        {isNew && <NameField name={name} onName={setName} />}
        <AgentFields editing={editing} agent={agent} models={models} readOnly={!canEdit} />
      </fieldset>
      {error !== null && <SaveProblem error={error} />}
      {canEdit && (
        <div className="draft-bar cluster gap-12 gap-y-8 ruled-top" data-testid="agent-bar">
          <p role="status">{isChanged ? draftText(count) : "No changes."}</p>
          {missingText && <p className="text-waiting">{missingText}</p>}
          <span className="spacer" />
          {row && <RemoveAgent agent={agent} row={row} />}
          <button type="button" className="button" disabled={!isChanged || busy} onClick={discard}>
            Discard
          </button>
          <button
            type="submit"
            className="button primary"
            disabled={!isChanged || busy || missingText !== ""}
          >
            {isNew ? "Create agent" : "Save"}
          </button>
        </div>
      )}
    </form>
  );
}

const draftText = (count: number): string =>
  count > 0 ? `Draft: ${plural(count, "field")} changed` : "Draft of a new agent";

function useChanges(place: string, name: string) {
  const key = `agent.${place}.${name}`;
  const [changes, set] = useState<AgentChanges>(() => readChanges(key));
  const setChanges = (next: AgentChanges) => {
    writeStored(key, Object.keys(next).length > 0 ? JSON.stringify(next) : null);
    set(next);
  };
  return { changes, setChanges };
}

function readChanges(key: string): AgentChanges {
  try {
    const stored: unknown = JSON.parse(readStored(key) ?? "{}");
    return typeof stored === "object" && stored !== null && !Array.isArray(stored)
      ? (stored as AgentChanges)
      : {};
  } catch {
    return {};
  }
}

function NameField({ name, onName }: { name: string; onName: (name: string) => void }) {
  return (
    <div className="agent-field stack gap-4">
      <label htmlFor="agent-name">Name</label>
      <input
        id="agent-name"
        value={name}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        placeholder="reviewer"
        aria-describedby="agent-name-hint"
        onChange={(event) => onName(event.target.value)}
      />
      <p className="field-hint small muted" id="agent-name-hint">
        Letters, digits, “-”, “_”, “.” and “/”. Use the name of a built-in agent to override it here.
      </p>
    </div>
  );
}

/** Only changed fields are sent, so saving again after somebody else's change keeps their other fields. */
function SaveProblem({ error }: { error: unknown }) {
  const stale = hasCode(error, "stale_agent");
  return (
    <FieldsProblem error={error}>
      {stale && (
        <button type="button" className="button" onClick={refreshAgents}>
          Load the saved version
        </button>
      )}
    </FieldsProblem>
  );
}
