// Formats numbers and times for display.

export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Formats dollars. `unpriced` is the number of model calls of unknown price, which are not in the sum. */
export function formatCost(dollars: number, unpriced = 0): string {
  if (unpriced > 0) return dollars === 0 ? "unknown cost" : `${formatCost(dollars)} + unknown cost`;
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return `$${dollars.toFixed(4)}`;
  return `$${dollars.toFixed(2)}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function formatAgo(time: string, now: number = Date.now()): string {
  const age = now - Date.parse(time);
  if (Number.isNaN(age)) return "";
  if (age < MINUTE_MS) return "just now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  if (age < 7 * DAY_MS) return `${plural(Math.floor(age / DAY_MS), "day")} ago`;
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/** Formats the time of day, with the date if it is not today. */
export function formatClock(time: string, now: Date = new Date()): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return "";
  const clock = at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
  if (at.toDateString() === now.toDateString()) return clock;
  return `${at.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, ${clock}`;
}

const KIB = 1024;
const MIB = KIB * KIB;
const GIB = MIB * KIB;

/** Formats bytes: 0 B, 12 KiB, 512 MiB, 1.5 GiB. */
export function formatBytes(bytes: number): string {
  if (bytes < KIB) return `${Math.round(bytes)} B`;
  if (bytes < MIB) return `${Math.round(bytes / KIB)} KiB`;
  if (bytes < GIB) return `${Math.round(bytes / MIB)} MiB`;
  return `${trimZero((bytes / GIB).toFixed(1))} GiB`;
}

const trimZero = (number: string): string => number.replace(/\.0$/, "");

/** Formats a number with separators: 500,000. */
export const formatNumber = (count: number): string => count.toLocaleString("en");

export function tokensTotal(tokens: { input: number; output: number; reasoning: number } | null): number {
  return tokens ? tokens.input + tokens.output + tokens.reasoning : 0;
}
