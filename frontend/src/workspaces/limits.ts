// The limits of a workspace: label, unit, bounds and format.
import type { Limit } from "../api/workspaceTypes";
import { formatBytes, formatDuration, formatNumber, plural } from "../lib/format";

export interface LimitKind {
  name: string;
  label: string;
  /** Unit of the number; empty if the label names what is counted. */
  unit: string;
  min: number;
  max: number;
  format: (value: number) => string;
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
    min: 128,
    max: 1_048_576,
    format: mebibytes,
    metered: true,
  },
  { name: "cpus", label: "CPUs", unit: "", min: 0.1, max: 256, format: String, metered: true },
  {
    name: "disk_mib",
    label: "Disk",
    unit: "MiB",
    min: 64,
    max: 104_857_600,
    format: mebibytes,
    metered: true,
  },
  {
    name: "inodes",
    label: "Files and folders",
    unit: "",
    min: 1000,
    max: 1_000_000_000,
    format: formatNumber,
    metered: true,
  },
  {
    name: "pids",
    label: "Processes",
    unit: "",
    min: 32,
    max: 1_000_000,
    format: formatNumber,
    metered: true,
  },
  { name: "tmp_mib", label: "/tmp", unit: "MiB", min: 1, max: 1_048_576, format: mebibytes, metered: true },
  {
    name: "open_files",
    label: "Open files per process",
    unit: "",
    min: 64,
    max: 1_048_576,
    format: formatNumber,
  },
  { name: "output_mib", label: "Output per command", unit: "MiB", min: 1, max: 1024, format: mebibytes },
  {
    name: "wall_seconds",
    label: "Time per command",
    unit: "seconds",
    min: 1,
    max: 604_800,
    format: (value) => formatSpan(value),
  },
  {
    name: "background_calls",
    label: "Background commands",
    unit: "",
    min: 0,
    max: 100,
    format: formatNumber,
  },
  {
    name: "idle_minutes",
    label: "Stops when idle for",
    unit: "minutes",
    min: 1,
    max: 43_200,
    format: (value) => formatSpan(value * 60),
  },
  {
    name: "keep_days",
    label: "Grace period of a deletion",
    unit: "days",
    min: 0,
    max: 365,
    format: days,
  },
  {
    name: "workspaces",
    label: "Workspaces per team",
    unit: "",
    min: 1,
    max: 100_000,
    format: formatNumber,
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
export const graceDays = (limits: Readonly<Record<string, Limit>>): number => limits.keep_days?.value ?? 7;
