// Reasoning efforts in words.

export const EFFORT_LABELS: Record<string, string> = {
  none: "None",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  max: "Maximum",
};

export const effortLabel = (effort: string): string => EFFORT_LABELS[effort] ?? effort;
