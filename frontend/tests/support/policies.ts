// Policies and reasons with sensible values; a test sets only the values that matter to it.
import type { Policy, PolicyDocument, WhyDecision } from "../../src/api/policyTypes";
import { at } from "./builders";

export const policyDocument = (over: Partial<PolicyDocument> = {}): PolicyDocument => ({
  preset: "",
  rules: [],
  enforced: [],
  options: {
    approvers: null,
    incomplete_commands: null,
    wait_hours: null,
    public_share_links: null,
    subagent_depth: null,
    always: { session: null, project: null, team: null },
    loosenable: [],
    sandbox: {
      memory_mib: null,
      secrets_in_commands: null,
      terminals: null,
      previews: null,
      cpus: null,
      pids: null,
      tmp_mib: null,
      disk_mib: null,
      inodes: null,
      open_files: null,
      output_mib: null,
      wall_seconds: null,
      background_calls: null,
      workspaces: null,
      idle_minutes: null,
      keep_days: null,
      runtime: null,
      network: null,
      setup_network: null,
      images: null,
    },
    tool_output: { lines: null, bytes: null },
    mcp: { repository_hosts: null, own_servers: null },
  },
  expectations: [],
  ...over,
});

export const DANA = { id: "usr_2", email: "dana@example.org", name: "Dana" };

export const policy = (over: Partial<Policy> = {}): Policy => ({
  ...policyDocument(),
  place: "tea_1",
  version: 1,
  author: DANA,
  reason: "The first rules",
  restored_from: null,
  created_at: at(0),
  can_edit: true,
  inherited: { preset: "balanced", preset_from: "default" },
  ...over,
});

export const decision = (over: Partial<WhyDecision> = {}): WhyDecision => ({
  action: "ask",
  permission: "bash",
  pattern: "git push origin",
  rule: { permission: "bash", pattern: "git push *", action: "ask" },
  layer: "team",
  trace: [],
  limit: false,
  ...over,
});
