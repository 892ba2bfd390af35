import type { McpToolRule } from "../api/mcp";

const ACTION: Record<McpToolRule["action"], { label: string; style: string }> = {
  allow: { label: "allowed", style: "muted" },
  ask: { label: "asks a person", style: "text-waiting" },
  deny: { label: "denied", style: "text-failed" },
};

/** What the rules decide about a tool, in one word or two. */
export function ToolAction({ rule }: { rule: McpToolRule }) {
  const action = ACTION[rule.action];
  return <span className={`small ${action.style}`}> · {action.label}</span>;
}

/** Which rules decide about a tool, the strictest first. */
export function ToolReasons({ rule }: { rule: McpToolRule }) {
  return (
    <ul className="small muted" aria-label={`Rules about ${rule.tool}`}>
      {rule.decisions.map((decision) => (
        <li key={decision.permission} className="break-anywhere">
          {decision.rule ? (
            <>
              <code>
                {decision.rule.permission} {decision.rule.pattern}: {decision.rule.action}
              </code>{" "}
              of {decision.layer}
            </>
          ) : (
            <>No rule is about {decision.permission}, so a person is asked.</>
          )}
        </li>
      ))}
    </ul>
  );
}
