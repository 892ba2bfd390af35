/** A program that can give work to this site over MCP, and its configuration. */
export interface McpClient {
  id: string;
  name: string;
  /** Where the configuration goes: "In opencode.json". */
  place: string;
  configuration: (address: string) => string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
const bearer = (variable: string) => ({ Authorization: `Bearer ${variable}` });

export const mcpClients: readonly McpClient[] = [
  {
    id: "claude",
    name: "Claude Code",
    place: "In a terminal",
    configuration: (address) =>
      `claude mcp add --transport http agentsite ${address} \\\n  --header "Authorization: Bearer $AGENTSITE_TOKEN"`,
  },
  {
    id: "opencode",
    name: "OpenCode",
    place: "In opencode.json",
    configuration: (address) =>
      json({
        mcp: {
          agentsite: {
            type: "remote",
            url: address,
            oauth: false,
            headers: bearer("{env:AGENTSITE_TOKEN}"),
          },
        },
      }),
  },
  {
    id: "vscode",
    name: "VS Code",
    place: "In .vscode/mcp.json",
    configuration: (address) =>
      json({
        inputs: [
          { type: "promptString", id: "agentsite-token", description: "agentsite API token", password: true },
        ],
        servers: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it
          agentsite: { type: "http", url: address, headers: bearer("${input:agentsite-token}") },
        },
      }),
  },
  {
    id: "cursor",
    name: "Cursor",
    place: "In .cursor/mcp.json",
    configuration: (address) =>
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor replaces it
      json({ mcpServers: { agentsite: { url: address, headers: bearer("${env:AGENTSITE_TOKEN}") } } }),
  },
];
