import type { McpServer } from "../api/mcp";

const STATUS: Record<McpServer["status"], { label: string; dot: string }> = {
  connected: { label: "Connected", dot: "running" },
  disabled: { label: "Disabled", dot: "stopped" },
  failed: { label: "Failed", dot: "failed" },
  sign_in: { label: "Needs another key", dot: "failed" },
  unknown: { label: "Not reached yet", dot: "new" },
};

export function ServerStatus({ server }: { server: McpServer }) {
  const { label, dot } = STATUS[server.status];
  return (
    <span className="line gap-6" data-testid="mcp-status">
      <span className={`dot dot-box-${dot}`} aria-hidden="true" />
      {server.status === "sign_in" && server.asks_sign_in ? "Needs a sign-in" : label}
    </span>
  );
}
