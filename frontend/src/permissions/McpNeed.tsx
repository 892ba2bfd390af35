import type { PermissionNeed } from "../api/types";
import { visible, visibleLine } from "../lib/visible";
import { Changes } from "../mcp/Changes";
import { hintTexts } from "../mcp/hints";
import { factsIn, textIn } from "../tools/facts";
import { NeedText } from "./NeedText";
import "./cards.css";

/** A call of a tool of an MCP server: which server and tool, and with which arguments. */
export function McpNeed({ need }: { need: PermissionNeed }) {
  const call = factsIn(need.metadata, "mcp");
  const hints = hintTexts(factsIn(call, "hints"));
  return (
    <div className="need boxed">
      <p className="need-subject break-anywhere">
        Tool <code>{visibleLine(textIn(call, "tool"))}</code> of the MCP server{" "}
        <code>{visibleLine(textIn(call, "server"))}</code>
        {textIn(call, "kind") === "remote" ? ", reached over the network" : ", in the workspace"}
      </p>
      <NeedText className="mono small">{visible(textIn(call, "arguments"))}</NeedText>
      <NeedText className="muted">{visible(textIn(call, "description"))}</NeedText>
      {hints.length > 0 && <p className="small muted">The server says, unchecked: {hints.join(", ")}.</p>}
    </div>
  );
}

/** A call with a person's account in a turn in which somebody else has prompted too: only that person can allow it. */
export function AccountNeed({ need }: { need: PermissionNeed }) {
  const account = factsIn(need.metadata, "account");
  const person = visibleLine(textIn(account, "person"));
  return (
    <div className="need boxed">
      <p className="need-subject break-anywhere text-waiting">
        The call uses the account of {person} at <code>{visibleLine(textIn(account, "server"))}</code>, and
        another person has prompted in this turn too. Only {person} can allow it.
      </p>
    </div>
  );
}

/** A tool that its server changed or added after people accepted its tools: what it was, and what it is. */
export function ChangedToolNeed({ need }: { need: PermissionNeed }) {
  const shown = factsIn(need.metadata, "changed_tool");
  const changes = Object.entries(factsIn(shown, "changes")).map(([name]) => {
    const sides = factsIn(factsIn(shown, "changes"), name);
    return [name, { before: textIn(sides, "before"), after: textIn(sides, "after") }] as const;
  });
  return (
    <div className="need boxed">
      <p className="need-subject break-anywhere text-waiting">
        The MCP server <code>{visibleLine(textIn(shown, "server"))}</code>{" "}
        {shown.new === true ? "has added" : "has changed"} this tool since people accepted its tools.
      </p>
      <Changes changes={Object.fromEntries(changes)} />
    </div>
  );
}

/** An MCP server that the repository declares: everything that is started or reached. */
export function McpServerNeed({ need }: { need: PermissionNeed }) {
  const server = factsIn(need.metadata, "mcp_server");
  const isLocal = textIn(server, "kind") === "local";
  const command = Array.isArray(server.command) ? server.command.map(String) : [];
  const values = factsIn(server, isLocal ? "environment" : "headers");
  return (
    <div className="need boxed">
      <p className="need-subject break-anywhere">
        {isLocal ? "Starts in the workspace" : "Is reached over the network"}, as{" "}
        <code>{visibleLine(textIn(server, "source"))}</code> declares it
      </p>
      <div className="command mono ruled-top">
        {isLocal ? (
          command.map((word, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the words of a command never move
            <code key={at} className="block break-anywhere">
              {visible(word)}
            </code>
          ))
        ) : (
          <code className="break-anywhere">{visibleLine(textIn(server, "url"))}</code>
        )}
      </div>
      {Object.keys(values).length > 0 && (
        <dl className="facts ruled-top small">
          {Object.keys(values).map((name) => (
            <div key={name} className="flex gap-8">
              <dt className="mono">{visibleLine(name)}</dt>
              <dd className="mono break-anywhere">{visible(textIn(values, name))}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
