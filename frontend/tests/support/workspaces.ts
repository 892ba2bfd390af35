// Workspaces with sensible values; a test sets only the values that matter to it.
import type { Limit, Usage, WorkspaceDetail } from "../../src/api/workspaceTypes";
import { at } from "./builders";

const MIB = 1024 * 1024;
const limit = (value: number, source: Limit["source"] = "default"): Limit => ({ value, source });

export const usage = (over: Partial<Usage> = {}): Usage => ({
  memory: { used: 256 * MIB, limit: 1024 * MIB },
  pids: { used: 12, limit: 512 },
  disk: { used: 100 * MIB, limit: 4096 * MIB },
  inodes: { used: 1200, limit: 500_000 },
  tmp: { used: 0, limit: 256 * MIB },
  cpu_seconds: 10,
  cpus: 2,
  at: at(0),
  ...over,
});

export const workspace = (over: Partial<WorkspaceDetail> = {}): WorkspaceDetail => ({
  id: "wsp_1",
  project_id: "prj_1",
  team_id: "tea_1",
  project_name: "Tea shop",
  name: "main",
  state: "running",
  detail: "",
  created_at: at(0),
  last_used_at: at(0),
  runtime: "runc",
  node: { name: "node-1", alive: true, seen_at: at(0) },
  limits: {
    memory_mib: limit(1024, "team"),
    cpus: limit(2),
    pids: limit(512),
    tmp_mib: limit(256),
    disk_mib: limit(4096),
    inodes: limit(500_000),
    wall_seconds: limit(3600),
    background_calls: limit(8),
    keep_days: limit(7),
  },
  outdated: false,
  usage: usage(),
  self_check: {
    passed: true,
    runtime: "runc",
    kernel: "6.1",
    items: [
      { name: "no network", passed: true, found: "only lo" },
      { name: "no capabilities", passed: true, found: "none" },
    ],
    at: at(0),
  },
  disk_driver: "quota",
  archive: null,
  network: { received: 0, sent: 0, connections: 0, refused: 0 },
  session_count: 1,
  generation: 0,
  remove_at: null,
  may: ["stop", "restart", "rebuild", "check", "export", "remove", "stop_background"],
  ...over,
});
