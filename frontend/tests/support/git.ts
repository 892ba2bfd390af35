import type { GitState } from "../../src/api/workingCopy";

export const HEAD = "a".repeat(40);

/** The repository of a workspace with one file that is not committed. */
export const gitState = (change: Partial<GitState> = {}): GitState => ({
  repository: "tea/shop",
  branch: "agentsite/1",
  current_branch: "agentsite/1",
  head: HEAD,
  uncommitted: [{ path: "a.txt", status: "added" }],
  unpushed: [],
  base: "main",
  behind: 0,
  pushed: false,
  operation: "",
  problem: "",
  can_change: true,
  decides: true,
  ...change,
});
