// The fields of the form for an MCP server, and the requests made from them.
import type { DeclaredServer, GalleryServer, McpServer, McpServerChange, NewMcpServer } from "../api/mcp";

export interface ServerFields {
  name: string;
  kind: "local" | "remote";
  /** One word in each line. */
  command: string;
  /** NAME=value in each line. */
  environment: string;
  url: string;
  transport: "http" | "sse";
  /** The secret header, and its value; an empty value keeps the stored one. */
  header: string;
  secret: string;
  /** Whose account is used, if the server wants a sign-in, and the client that an admin registered there. */
  signIn: "person" | "team";
  clientId: string;
  clientSecret: string;
  timeout: string;
}

export const NEW: ServerFields = {
  name: "",
  kind: "local",
  command: "",
  environment: "",
  url: "",
  transport: "http",
  header: "",
  secret: "",
  signIn: "person",
  clientId: "",
  clientSecret: "",
  timeout: "60",
};

const linesOf = (entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");

type Basics = Pick<McpServer, "name" | "kind" | "command" | "environment" | "url" | "transport">;

const withBasics = (server: Basics): ServerFields => ({
  ...NEW,
  name: server.name,
  kind: server.kind,
  command: server.command.join("\n"),
  environment: linesOf(server.environment),
  url: server.url,
  transport: server.transport,
});

export const fieldsOf = (server: McpServer): ServerFields => ({
  ...withBasics(server),
  header: server.secret_headers[0] ?? "",
  signIn: server.sign_in,
  clientId: server.client_id,
  timeout: String(server.timeout_seconds),
});

export function fieldsOfGallery(server: GalleryServer): ServerFields {
  const [header = "", begins = ""] = Object.entries(server.secret_headers)[0] ?? [];
  return { ...withBasics(server), header, secret: begins };
}

export const fieldsOfDeclared = (server: DeclaredServer): ServerFields => ({
  ...withBasics(server),
  header: Object.keys(server.headers)[0] ?? "",
});

const words = (text: string): string[] => text.split("\n").filter((line) => line !== "");

function entries(text: string): Record<string, string> {
  const pairs = words(text).map((line): [string, string] => {
    const at = line.indexOf("=");
    return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

/** The settings of a form. `before` is the server that is changed; its other secret headers are kept. */
export function settingsOf(fields: ServerFields, before?: McpServer): McpServerChange {
  const timeout_seconds = Number(fields.timeout) || 60;
  if (fields.kind === "local") {
    const stored = before && fieldsOf(before); // a word with a line break stays whole if nobody edits the command
    return {
      ...(stored?.command !== fields.command && { command: words(fields.command) }),
      ...(stored?.environment !== fields.environment && { environment: entries(fields.environment) }),
      timeout_seconds,
    };
  }
  const kept = Object.fromEntries((before?.secret_headers.slice(1) ?? []).map((name) => [name, null]));
  const header = fields.header.trim();
  const clientId = fields.clientId.trim();
  const isNewClient = clientId !== (before?.client_id ?? "") || fields.clientSecret !== "";
  const own = header ? { [header]: fields.secret === "" ? null : fields.secret } : {};
  return {
    url: fields.url.trim(),
    transport: fields.transport,
    secret_headers: { ...kept, ...own },
    ...(fields.signIn !== (before?.sign_in ?? "person") && { sign_in: fields.signIn }),
    ...(isNewClient && { client_id: clientId }),
    ...(fields.clientSecret !== "" && { client_secret: fields.clientSecret }),
    timeout_seconds,
  };
}

export const newServer = (fields: ServerFields): NewMcpServer => ({
  name: fields.name.trim(),
  kind: fields.kind,
  ...settingsOf(fields),
});
