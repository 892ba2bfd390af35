export const PERMISSIONS_LIST = "permission-names";

/** docs/permissions.md: the permissions that a rule may name. Tools of projects and MCP servers have their own names. */
const PERMISSIONS = [
  "bash",
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
  "doom_loop",
  "lsp",
  "skill",
  "question",
  "todoread",
  "todowrite",
  "plan_enter",
  "plan_exit",
  "*",
];

/** Suggestions for every field that takes a permission; stands once on a page. */
export function PermissionNames() {
  return (
    <datalist id={PERMISSIONS_LIST}>
      {PERMISSIONS.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
