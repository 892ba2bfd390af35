import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { McpToolRule } from "../../src/api/mcp";
import { argumentsOf, schemaFields } from "../../src/mcp/schemaFields";
import { TryTool } from "../../src/mcp/TryTool";
import { renderApart, serve } from "../support/render";

const SCHEMA = {
  type: "object",
  required: ["query"],
  properties: {
    limit: { type: "integer", default: 5 },
    query: { type: "string", description: "What to look for." },
    deep: { type: "boolean" },
    order: { type: "string", enum: ["new", "old"] },
    filter: { type: "object" },
  },
};
const RESULT = {
  title: "",
  output: "Found 3.",
  structured: null,
  failed: false,
  truncated: false,
  seconds: 0.2,
};
const rule = (action: McpToolRule["action"]): McpToolRule => ({
  tool: "demo_find",
  action,
  may_try: true,
  decisions: [],
});

afterEach(() => vi.unstubAllGlobals());

describe("the fields of a schema", () => {
  const fields = schemaFields(SCHEMA);

  it("begin with the required ones, each with what it takes", () => {
    expect(fields.map((field) => [field.name, field.kind])).toEqual([
      ["query", "text"],
      ["limit", "number"],
      ["deep", "boolean"],
      ["order", "choice"],
      ["filter", "json"],
    ]);
  });

  it("become arguments of the right types, without those that are empty", () => {
    expect(argumentsOf(fields, { query: "5", deep: "false", filter: '{"a": 1}' })).toEqual({
      query: "5",
      limit: 5,
      deep: false,
      filter: { a: 1 },
    });
    expect(argumentsOf(fields, { limit: "" })).toEqual({ query: "" });
  });

  it.each(["{", "x"])("name the field that cannot be read: %s", (text) => {
    expect(() => argumentsOf(fields, { filter: text })).toThrow("“filter” is not valid JSON.");
  });

  it.each([{}, { properties: null }, { properties: [] }, { properties: { a: 5 } }])(
    "do not break on an odd schema: %j",
    (schema) => {
      expect(schemaFields(schema).length).toBeLessThan(2);
    },
  );
});

describe("trying a tool", () => {
  const path = "POST /api/v1/workspaces/wsp_1/mcp-servers/mcp_1/try";
  const show = (action: McpToolRule["action"]) =>
    renderApart(
      <TryTool
        serverId="mcp_1"
        workspaceId="wsp_1"
        tool={{ id: "demo_find", parameters: SCHEMA }}
        rule={rule(action)}
      />,
    );

  it("sends the arguments and shows the answer", async () => {
    const asked = serve({ [path]: { body: RESULT } });
    show("allow");
    await userEvent.type(screen.getByLabelText("query"), "bugs");
    await userEvent.click(screen.getByRole("button", { name: "Call" }));
    await screen.findByText("Found 3.");
    expect(asked.map((one) => one.body)).toEqual([
      { tool: "demo_find", arguments: { query: "bugs", limit: 5 }, confirmed: false },
    ]);
  });

  it("says that the person allows the call where the rules ask", async () => {
    const asked = serve({ [path]: { body: { ...RESULT, failed: true, output: "It is broken." } } });
    show("ask");
    await userEvent.click(screen.getByRole("button", { name: "Allow once and call" }));
    await screen.findByText(/The call failed/);
    expect(asked.map((one) => (one.body as { confirmed: boolean }).confirmed)).toEqual([true]);
  });

  it("shows why a call was not made", async () => {
    const error = { code: "not_allowed", message: "The rules deny this call.", hint: "", fields: {} };
    serve({ [path]: { status: 403, body: { error } } });
    show("allow");
    await userEvent.click(screen.getByRole("button", { name: "Call" }));
    await waitFor(() => screen.getByText(/The rules deny this call/));
  });
});
