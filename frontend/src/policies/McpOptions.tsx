import { useId, useState } from "react";
import type { Options } from "../api/policyTypes";

type Mcp = NonNullable<Options["mcp"]>;

const NOT_SET: Mcp = { repository_hosts: null, own_servers: null };
const ALLOWED = { true: "Allowed", false: "Not allowed" } as const;

interface McpOptionsProps {
  value: Options["mcp"] | undefined;
  onChange: (value: Mcp) => void;
}

/** Options for MCP servers of people and repositories. */
export function McpOptions({ value = NOT_SET, onChange }: McpOptionsProps) {
  const id = useId();
  const hosts = value.repository_hosts?.join("\n") ?? "";
  const [typed, setTyped] = useState(hosts);
  // What is typed stays as it is, unless the draft was discarded.
  const shown = (hostsOf(typed)?.join("\n") ?? "") === hosts ? typed : hosts;
  return (
    <section className="sandbox-options" aria-label="MCP servers">
      <h2>MCP servers</h2>
      <Choice
        label="MCP servers of people’s own"
        value={value.own_servers}
        onChange={(own_servers) => onChange({ ...value, own_servers })}
      />
      <div className="option-line ruled">
        <label htmlFor={id}>Hosts of MCP servers that repositories may declare</label>
        <textarea
          id={id}
          className="mono"
          rows={2}
          spellCheck={false}
          placeholder="Not set. One host in each line, such as *.example.org"
          value={shown}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange({ ...value, repository_hosts: hostsOf(event.target.value) });
          }}
        />
      </div>
    </section>
  );
}

function hostsOf(text: string): string[] | null {
  const hosts = text.split(/\s+/).filter((host) => host !== "");
  return hosts.length > 0 ? hosts : null;
}

interface ChoiceProps {
  label: string;
  value: boolean | null;
  onChange: (value: boolean | null) => void;
}

function Choice({ label, value, onChange }: ChoiceProps) {
  return (
    <label className="option-line ruled">
      <span>{label}</span>
      <select
        value={value === null ? "" : String(value)}
        onChange={(event) => onChange(event.target.value === "" ? null : event.target.value === "true")}
      >
        <option value="">Not set</option>
        <option value="true">{ALLOWED.true}</option>
        <option value="false">{ALLOWED.false}</option>
      </select>
    </label>
  );
}
