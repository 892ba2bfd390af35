// What the states, limits and sources of a workspace are called, and how much of what is in use.
import type { Workspace, WorkspaceState } from "../api/types";
import type { Gauge, LimitSource, Usage, WorkspaceDetail } from "../api/workspaceTypes";
import { formatBytes, formatNumber } from "../lib/format";

export const STATE_WORDS: Readonly<Record<WorkspaceState, string>> = {
  new: "Not started yet",
  starting: "Starting",
  running: "Running",
  stopped: "Stopped",
  failed: "Failed",
  lost: "Lost",
  removing: "Will be deleted",
};

/** What the state means for the person, in a sentence or two. */
export function stateSentence({ state, detail }: Pick<Workspace, "state" | "detail">): string {
  switch (state) {
    case "new":
      return "It starts with the first call of an agent, or now.";
    case "starting":
      return detail || "The container is being made and checked.";
    case "running":
      return "The container answers.";
    case "stopped":
      return "Its files are kept. The next call of an agent starts it.";
    case "failed":
      return detail || "The container did not start.";
    case "lost":
      return (
        detail || "The node that held it is gone. It is restored from its last archive where there is one."
      );
    case "removing":
      return "It is stopped, and its files are still there.";
  }
}

/** What to do about a state that needs somebody; empty when nothing does. */
export function adviceFor({ state, self_check: check }: WorkspaceDetail): string {
  if (state === "failed" && check && !check.passed) {
    return "It stays stopped because its check did not pass. See the checks below; an operator of the site has to look at the node.";
  }
  if (state === "failed") {
    return "Files are safe. Start it again; if that fails the same way, rebuild its container or tell an operator of the site.";
  }
  if (state === "lost") return "Wait for it to be restored, or start it to have that happen now.";
  return "";
}

export const SOURCE_WORDS: Readonly<Record<LimitSource, string>> = {
  default: "default",
  site: "policy of the site",
  team: "policy of the team",
  project: "policy of the project",
};

const DISKS: Readonly<Record<string, string>> = {
  soft: "Soft limit: the size is looked at now and then, and more than it can be written in between",
  none: "No limit that holds: the size is only shown",
};

/** How the disk limit is kept, in words. */
export function diskWords(driver: string): string {
  if (!driver) return "Not known until it has started";
  return DISKS[driver] ?? `Hard limit, kept by the file system (${driver})`;
}

export const isSoftDisk = (driver: string): boolean => Object.hasOwn(DISKS, driver);

export interface Meter {
  name: "memory" | "cpu" | "disk" | "inodes" | "pids" | "tmp";
  label: string;
  /** The name of the limit it is held against. */
  limit: string;
  used: number;
  most: number;
  text: string;
}

const MIB = 1024 * 1024;
const bytes = (count: number) => formatBytes(count);

/**
 * A meter for each thing that can run out. `busy` is how many CPUs are in use, null while that is not known yet.
 * What does not run has files but uses nothing else, and the limits of the policies hold from its next start on.
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
    words: (count: number) => string,
  ): Meter => {
    const stays = name === "disk" || name === "inodes";
    const gauge: Gauge | undefined = runs || stays ? usage?.[name] : undefined;
    const most = (runs && gauge?.limit) || limited(limit, unit);
    const text = gauge ? `${words(gauge.used)} of ${words(most)}` : `at most ${words(most)}`;
    return { name, label, limit, used: gauge?.used ?? 0, most, text };
  };
  return [
    one("memory", "Memory", "memory_mib", MIB, bytes),
    cpuMeter(runs ? usage : null, limits.cpus?.value ?? 0, busy),
    one("disk", "Disk", "disk_mib", MIB, bytes),
    one("inodes", "Files", "inodes", 1, formatNumber),
    one("pids", "Processes", "pids", 1, formatNumber),
    one("tmp", "/tmp", "tmp_mib", MIB, bytes),
  ];
}

function cpuMeter(usage: Usage | null, limit: number, busy: number | null): Meter {
  const most = usage?.cpus || limit;
  const text = busy === null ? `at most ${cpus(most)}` : `${busy.toFixed(2)} of ${cpus(most)}`;
  return { name: "cpu", label: "CPU", limit: "cpus", used: busy ?? 0, most, text };
}

const cpus = (count: number): string => `${count} ${count === 1 ? "CPU" : "CPUs"}`;

/** How many CPUs were busy between two looks; null when that cannot be said (too close, or started anew between). */
export function busyCpus(before: Usage | null, now: Usage | null): number | null {
  if (!before || !now) return null;
  const seconds = (Date.parse(now.at) - Date.parse(before.at)) / 1000;
  const used = now.cpu_seconds - before.cpu_seconds;
  return seconds >= 0.5 && used >= 0 ? used / seconds : null;
}

export type Fullness = "" | "high" | "full";

/** The word besides the colour: nothing below 80 %. */
export function fullness({ used, most }: Pick<Meter, "used" | "most">): Fullness {
  if (most <= 0 || used < most * 0.8) return "";
  return used < most * 0.95 ? "high" : "full";
}
