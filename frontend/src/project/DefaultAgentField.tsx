import type { ChangeEvent } from "react";
import { useAgents } from "../agents/queries";
import { OptionList } from "../ui/OptionList";

interface DefaultAgentFieldProps {
  projectId: string;
  value: string;
  disabled: boolean;
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void;
}

/**
 * Chooses the default agent of new sessions. Also lists the current choice if that agent cannot be chosen any
 * more.
 */
export function DefaultAgentField({ projectId, value, disabled, onChange }: DefaultAgentFieldProps) {
  const agents = useAgents(projectId).data;
  const names = (agents?.items ?? []).filter((agent) => agent.selectable).map((agent) => agent.name);
  const isMissing = agents !== undefined && !names.includes(value);
  return (
    <label className="field">
      <span>Agent of new sessions</span>
      <select disabled={disabled} value={value} onChange={onChange}>
        {!names.includes(value) && <option value={value}>{value}</option>}
        <OptionList of={names.map((name) => [name, name])} />
      </select>
      {isMissing && (
        <small className="muted">
          {value} cannot be chosen any more. New sessions start with {agents.default} instead.
        </small>
      )}
    </label>
  );
}
