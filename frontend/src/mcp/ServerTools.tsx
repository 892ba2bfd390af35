import { useQuery } from "@tanstack/react-query";
import {
  acceptMcpTools,
  type McpServerDetail,
  type McpTool,
  type McpToolRule,
  readMcpRules,
} from "../api/mcp";
import { visible, visibleLine } from "../lib/visible";
import { Problem } from "../ui/Notice";
import { Scroller } from "../ui/Scroller";
import { useAction } from "../ui/useAction";
import { Changes } from "./Changes";
import { hintTexts } from "./hints";
import { ToolAction, ToolReasons } from "./ToolRule";
import { TryTool } from "./TryTool";
import { useWorkspaceChoice, WorkspaceChoice } from "./WorkspaceChoice";
import "./mcp.css";

interface ServerToolsProps {
  server: McpServerDetail;
  /** The project whose rules are shown, and in whose workspaces tools can be tried. */
  projectId: string | undefined;
  onChanged: () => Promise<unknown>;
}

/** The tools of a server with their schemas; changed and new ones can be accepted. */
export function ServerTools({ server, projectId, onChanged }: ServerToolsProps) {
  const { run, busy, error } = useAction();
  const workspace = useWorkspaceChoice(projectId);
  const digests = server.tools.map((tool) => tool.digest);
  const rules = useQuery({
    queryKey: ["mcp-rules", projectId, server.id, server.version, server.changed_count, digests],
    queryFn: () => readMcpRules(projectId ?? "", server.id),
    enabled: Boolean(projectId) && !server.overridden,
  });
  const changed = server.tools.filter(isChanged);
  const accept = () =>
    run(async () => {
      await acceptMcpTools(server.id, Object.fromEntries(changed.map((tool) => [tool.name, tool.digest])));
      await onChanged();
    });
  if (server.tools.length === 0) return <p className="muted">No tools are known yet.</p>;
  return (
    <section className="stack gap-8" aria-label={`Tools of ${server.name}`}>
      {changed.length > 0 && server.can_edit && (
        <div className="flow">
          <button type="button" className="button" disabled={busy} onClick={() => void accept()}>
            Accept {changed.length === 1 ? "the changed tool" : `${changed.length} changed tools`}
          </button>
        </div>
      )}
      {error !== null && <Problem error={error} />}
      {rules.error && <Problem error={rules.error} onRetry={() => rules.refetch()} />}
      {rules.data?.items.some((rule) => rule.may_try) && (
        <div className="flow">
          <WorkspaceChoice choice={workspace} label="Try tools in" />
        </div>
      )}
      <ul className="ruled-top">
        {server.tools.map((tool) => (
          <li key={tool.name} className="ruled">
            <ToolDetails
              tool={tool}
              serverId={server.id}
              rule={rules.data?.items.find((rule) => rule.tool === tool.id)}
              workspaceId={workspace.id}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

const isChanged = (tool: McpTool): boolean => Object.keys(tool.changes).length > 0;

interface ToolDetailsProps {
  tool: McpTool;
  serverId: string;
  rule: McpToolRule | undefined;
  workspaceId: string;
}

function ToolDetails({ tool, serverId, rule, workspaceId }: ToolDetailsProps) {
  return (
    <details>
      <summary className="break-anywhere">
        <code>{visibleLine(tool.id || tool.name)}</code>
        {isChanged(tool) && <span className="text-waiting"> {tool.is_new ? "new" : "changed"}</span>}
        {tool.problem && <span className="text-failed"> cannot be used</span>}
        {rule && <ToolAction rule={rule} />}
      </summary>
      <div className="stack gap-8">
        {tool.problem && <p className="text-failed break-anywhere">{visibleLine(tool.problem)}</p>}
        <p className="pre-wrap break-anywhere">{visible(tool.description) || "It has no description."}</p>
        {hintTexts(tool.hints).length > 0 && (
          <p className="small muted">The server says, unchecked: {hintTexts(tool.hints).join(", ")}.</p>
        )}
        {rule && <ToolReasons rule={rule} />}
        {isChanged(tool) && <Changes changes={tool.changes} />}
        <Scroller className="mcp-text mono small boxed" label={`Parameters of ${tool.name}`}>
          <pre>{visible(JSON.stringify(tool.parameters, null, 2))}</pre>
        </Scroller>
        {rule?.may_try && workspaceId && (
          <TryTool serverId={serverId} tool={tool} rule={rule} workspaceId={workspaceId} />
        )}
      </div>
    </details>
  );
}
