// The limits of a workspace: label, unit, bounds and format.
import type { Limit } from "../api/workspaceTypes";
import { formatBytes, formatDuration, formatNumber, plural } from "../lib/format";

export interface LimitKind {
  name: string;
  label: string;
  /** Unit of the number; empty if the label names what is counted. */
  unit: string;
  least: number;
  most: number;
  words: (value: number) => string;
  /** The limit is for a whole team and cannot be set by a project. */
  aboveProjects?: boolean;
  /** The limit is shown as a usage bar instead of in the list of limits. */
  metered?: boolean;
}

const mebibytes = (value: number) => formatBytes(value * 1024 * 1024);
const days = (value: number) => plural(value, "day");

export const LIMITS: readonly LimitKind[] = [
  {
    name: "memory_mib",
    label: "Memory",
    unit: "MiB",
    least: 128,
    most: 1_048_576,
    words: mebibytes,
    metered: true,
  },
  { name: "cpus", label: "CPUs", unit: "", least: 0.1, most: 256, words: String, metered: true },
  {
    name: "disk_mib",
    label: "Disk",
    unit: "MiB",
    least: 64,
    most: 104_857_600,
    words: mebibytes,
    metered: true,
  },
  {
    name: "inodes",
    label: "Files and folders",
    unit: "",
    least: 1000,
    most: 1_000_000_000,
    words: formatNumber,
    metered: true,
  },
  {
    name: "pids",
    label: "Processes",
    unit: "",
    least: 32,
    most: 1_000_000,
    words: formatNumber,
    metered: true,
  },
  { name: "tmp_mib", label: "/tmp", unit: "MiB", least: 1, most: 1_048_576, words: mebibytes, metered: true },
  {
    name: "open_files",
    label: "Open files per process",
    unit: "",
    least: 64,
    most: 1_048_576,
    words: formatNumber,
  },
  { name: "output_mib", label: "Output per command", unit: "MiB", least: 1, most: 1024, words: mebibytes },
  {
    name: "wall_seconds",
    label: "Time per command",
    unit: "seconds",
    least: 1,
    most: 604_800,
    words: (value) => formatSpan(value),
  },
  {
    name: "background_calls",
    label: "Background commands",
    unit: "",
    least: 0,
    most: 100,
    words: formatNumber,
  },
  {
    name: "idle_minutes",
    label: "Stops when idle for",
    unit: "minutes",
    least: 1,
    most: 43_200,
    words: (value) => formatSpan(value * 60),
  },
  {
    name: "keep_days",
    label: "Grace period of a deletion",
    unit: "days",
    least: 0,
    most: 365,
    words: days,
  },
  {
    name: "workspaces",
    label: "Workspaces per team",
    unit: "",
    least: 1,
    most: 100_000,
    words: formatNumber,
    aboveProjects: true,
  },
];

/** Formats seconds in the largest units: 90 as 1 min 30 s, 3600 as 1 h. */
export function formatSpan(seconds: number): string {
  if (seconds >= 86_400 && seconds % 86_400 === 0) return days(seconds / 86_400);
  if (seconds >= 3600 && seconds % 3600 === 0) return `${seconds / 3600} h`;
  if (seconds >= 60 && seconds % 60 === 0) return `${seconds / 60} min`;
  return formatDuration(seconds * 1000);
}

/** Returns the grace period of a deletion in days. */
export const keepDays = (limits: Readonly<Record<string, Limit>>): number => limits.keep_days?.value ?? 7;
