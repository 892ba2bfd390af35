export const PERMISSIONS_LIST = "permission-names";

/**
 * Permissions that a rule can name (docs/permissions.md). Tools of projects and MCP servers have their own
 * names.
 */
const PERMISSIONS = [
  "bash",
  "interactive",
  "browser",
  "edit",
  "read",
  "glob",
  "grep",
  "list",
  "task",
  "webfetch",
  "websearch",
  "codesearch",
  "external_directory",
  "egress",
  "git_push",
  "pull_request",
  "setup",
  "doom_loop",
  "lsp",
  "skill",
  "memory",
  "question",
  "todoread",
  "todowrite",
  "plan_enter",
  "plan_exit",
  "*",
];

/** Suggestions for all permission fields; rendered once per page. */
export function PermissionNames() {
  return (
    <datalist id={PERMISSIONS_LIST}>
      {PERMISSIONS.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
