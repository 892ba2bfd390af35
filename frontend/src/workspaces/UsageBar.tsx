import type { CSSProperties } from "react";
import { fullness, type Meter } from "./labels";

const FULLNESS_LABELS = { "": "", high: "almost full", full: "full" } as const;

/** Bar that shows how much of a limit is in use. Amber and red are also said in words. */
export function UsageBar({ meter, label }: { meter: Meter; label: string }) {
  const share = meter.most > 0 ? Math.min(1, meter.used / meter.most) : 0;
  const state = fullness(meter);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the look of <meter> differs from browser to browser
    <span
      className={`bar ${state && `bar-${state}`}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={meter.most}
      aria-valuenow={Math.min(meter.used, meter.most)}
      aria-valuetext={`${meter.text}${state && `, ${FULLNESS_LABELS[state]}`}`}
    >
      <span style={{ "--share": `${share * 100}%` } as CSSProperties} />
    </span>
  );
}

export function FullnessLabel({ meter }: { meter: Meter }) {
  const state = fullness(meter);
  return state ? <span className={`medium full-word-${state}`}>{FULLNESS_LABELS[state]}</span> : null;
}
