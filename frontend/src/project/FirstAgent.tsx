import type { ChangeEvent } from "react";
import { useAgents } from "../agents/queries";

interface FirstAgentProps {
  projectId: string;
  value: string;
  disabled: boolean;
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void;
}

/** Who works in a new session: one of those a person can choose, and who was chosen before, there or not. */
export function FirstAgent({ projectId, value, disabled, onChange }: FirstAgentProps) {
  const agents = useAgents(projectId).data;
  const names = (agents?.items ?? []).filter((agent) => agent.selectable).map((agent) => agent.name);
  const isMissing = agents !== undefined && !names.includes(value);
  return (
    <label className="field">
      <span>Agent of new sessions</span>
      <select disabled={disabled} value={value} onChange={onChange}>
        {!names.includes(value) && <option value={value}>{value}</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {isMissing && (
        <small className="muted">
          {value} cannot be chosen here now. New sessions begin with {agents.default} instead.
        </small>
      )}
    </label>
  );
}
