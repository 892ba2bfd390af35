import { useState } from "react";
import { Section } from "../account/Section";
import { CodeBlock } from "../conversation/CodeBlock";
import { atPrefix } from "../lib/prefix";
import { mcpClients } from "./mcpClients";
import { SCOPE_LABELS } from "./scopes";

/** How other agents and editors give work to this site over MCP, to copy. */
export function McpConnection() {
  const [id, setId] = useState("claude");
  const client = mcpClients.find((each) => each.id === id);
  const address = window.location.origin + atPrefix("/mcp");
  return (
    <Section
      title="Give work from other agents and editors"
      about={
        <>
          This site is an MCP server at <code className="break-anywhere">{address}</code>. Set the variable{" "}
          <code>AGENTSITE_TOKEN</code> to an API token. With the scope “{SCOPE_LABELS.answer}”, a client may
          answer what its own prompts ask for.
        </>
      }
    >
      <label className="field">
        Client
        <select value={id} onChange={(event) => setId(event.target.value)}>
          {mcpClients.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      </label>
      {client && (
        <div className="code-to-copy">
          <CodeBlock language={client.place} code={client.configuration(address)} />
        </div>
      )}
    </Section>
  );
}
