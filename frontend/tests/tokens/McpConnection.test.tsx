import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { McpConnection } from "../../src/tokens/McpConnection";
import { mcpClients } from "../../src/tokens/mcpClients";

describe("the connection of other agents", () => {
  it("shows the configuration of the client that is chosen, with the address of this site", async () => {
    render(<McpConnection />);
    const address = `${window.location.origin}/mcp`;
    expect(screen.getByText(/claude mcp add/).textContent).toContain(address);
    await userEvent.selectOptions(screen.getByLabelText("Client"), "OpenCode");
    screen.getByText("In opencode.json");
    expect(screen.getByText(/"type": "remote"/).textContent).toContain(address);
  });

  it.each(mcpClients.filter((client) => client.id !== "claude"))("writes valid JSON for $name", (client) => {
    const text = client.configuration("https://site.example/mcp");
    expect(JSON.stringify(JSON.parse(text))).toContain('"url":"https://site.example/mcp"');
    expect(text).toContain("Authorization");
  });
});
