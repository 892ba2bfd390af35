// Labels of states, limits and sources of a workspace, and its usage meters.
import type { Workspace, WorkspaceState } from "../api/types";
import type { Gauge, LimitSource, Traffic, Usage, WorkspaceDetail } from "../api/workspaceTypes";
import { formatBytes, formatNumber, plural } from "../lib/format";

export const STATE_LABELS: Readonly<Record<WorkspaceState, string>> = {
  new: "Not started yet",
  starting: "Starting",
  running: "Running",
  stopped: "Stopped",
  failed: "Failed",
  lost: "Lost",
  removing: "Will be deleted",
};

/** Explains a state in a sentence or two. */
export function stateSentence({ state, detail }: Pick<Workspace, "state" | "detail">): string {
  switch (state) {
    case "new":
      return "It starts with the first tool call, or when you start it.";
    case "starting":
      return detail || "The container is being created and checked.";
    case "running":
      return "The container is running.";
    case "stopped":
      return "Its files are kept. The next tool call starts it.";
    case "failed":
      return detail || "The container did not start.";
    case "lost":
      return detail || "Its node was lost. It is restored from its last archive, if there is one.";
    case "removing":
      return "It is stopped. Its files still exist.";
  }
}

/** Says what to do about a state; empty if nothing is needed. */
export function adviceFor({ state, self_check: check }: WorkspaceDetail): string {
  if (state === "failed" && check && !check.passed) {
    return "It stays stopped because its self-check failed. See the checks below; an operator of the site must check the node.";
  }
  if (state === "failed") {
    return "Files are safe. Start it again. If that fails, rebuild the container or contact an operator of the site.";
  }
  if (state === "lost") return "Wait until it is restored, or start it to restore it now.";
  return "";
}

export const SOURCE_LABELS: Readonly<Record<LimitSource, string>> = {
  default: "default",
  site: "policy of the site",
  team: "policy of the team",
  project: "policy of the project",
};

const DISK_TEXTS: Readonly<Record<string, string>> = {
  soft: "Soft limit: the size is checked periodically, and can exceed the limit in between",
  none: "Not enforced: the size is only shown",
};

/** Describes how the disk limit is enforced. */
export function diskText(driver: string): string {
  if (!driver) return "Unknown until it starts";
  return DISK_TEXTS[driver] ?? `Hard limit, enforced by the file system (${driver})`;
}

export const isSoftDisk = (driver: string): boolean => Object.hasOwn(DISK_TEXTS, driver);

export interface Meter {
  name: "memory" | "cpu" | "disk" | "inodes" | "pids" | "tmp";
  label: string;
  /** Name of the limit that it is compared with. */
  limit: string;
  used: number;
  most: number;
  text: string;
}

const MIB_BYTES = 1024 * 1024;
const bytes = (count: number) => formatBytes(count);

/**
 * Returns a meter for each limited resource. `busy` is the number of CPUs in use, null while it is unknown. A
 * stopped workspace uses only disk, and its limits are those of its next start.
 */
export function metersOf(
  usage: Usage | null,
  limits: WorkspaceDetail["limits"],
  busy: number | null,
  runs: boolean,
): Meter[] {
  const limited = (name: string, unit: number) => (limits[name]?.value ?? 0) * unit;
  const one = (
    name: Exclude<Meter["name"], "cpu">,
    label: string,
    limit: string,
    unit: number,
    format: (count: number) => string,
  ): Meter => {
    const stays = name === "disk" || name === "inodes";
    const gauge: Gauge | undefined = runs || stays ? usage?.[name] : undefined;
    const most = (runs && gauge?.limit) || limited(limit, unit);
    const text = gauge ? `${format(gauge.used)} of ${format(most)}` : `at most ${format(most)}`;
    return { name, label, limit, used: gauge?.used ?? 0, most, text };
  };
  return [
    one("memory", "Memory", "memory_mib", MIB_BYTES, bytes),
    cpuMeter(runs ? usage : null, limits.cpus?.value ?? 0, busy),
    one("disk", "Disk", "disk_mib", MIB_BYTES, bytes),
    one("inodes", "Files", "inodes", 1, formatNumber),
    one("pids", "Processes", "pids", 1, formatNumber),
    one("tmp", "/tmp", "tmp_mib", MIB_BYTES, bytes),
  ];
}

function cpuMeter(usage: Usage | null, limit: number, busy: number | null): Meter {
  const most = usage?.cpus || limit;
  const text = busy === null ? `at most ${cpus(most)}` : `${busy.toFixed(2)} of ${cpus(most)}`;
  return { name: "cpu", label: "CPU", limit: "cpus", used: busy ?? 0, most, text };
}

const cpus = (count: number): string => `${count} ${count === 1 ? "CPU" : "CPUs"}`;

/**
 * Returns how many CPUs were busy between two measurements; null if they are too close or a restart lies
 * between.
 */
export function busyCpus(before: Usage | null, now: Usage | null): number | null {
  if (!before || !now) return null;
  const seconds = (Date.parse(now.at) - Date.parse(before.at)) / 1000;
  const used = now.cpu_seconds - before.cpu_seconds;
  return seconds >= 0.5 && used >= 0 ? used / seconds : null;
}

export type Fullness = "" | "high" | "full";

/** Level of a meter, shown as colour and word; empty below 80 %. */
export function fullness({ used, most }: Pick<Meter, "used" | "most">): Fullness {
  if (most <= 0 || used < most * 0.8) return "";
  return used < most * 0.95 ? "high" : "full";
}

/** Says what passed through the door. */
export const trafficText = ({ received, sent, connections, refused }: Traffic): string =>
  connections === 0
    ? "No program has connected to a host yet"
    : `${formatBytes(received)} received, ${formatBytes(sent)} sent, ${plural(connections, "connection")}, ${formatNumber(refused)} of them refused`;
