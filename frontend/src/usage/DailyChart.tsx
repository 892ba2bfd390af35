import { formatCost } from "../lib/format";
import type { Bar } from "./shape";
import "./usage.css";

const HEIGHT = 120;
const GAP = 0.2;

/** A bar chart of the cost of each day. The table below has the same numbers. */
export function DailyChart({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(...bars.map((bar) => bar.cost), 0);
  const dearest = bars.find((bar) => bar.cost === most);
  const text =
    most > 0 && dearest
      ? `Cost per day from ${bars[0]?.label} to ${bars.at(-1)?.label}. The highest is ${formatCost(most)} on ${dearest.label}.`
      : "No cost in this period.";
  return (
    <figure className="usage-chart">
      <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
        {bars.map((bar, at) => {
          const height = most > 0 ? (bar.cost / most) * HEIGHT : 0;
          return (
            <rect key={bar.key} x={at + GAP / 2} y={HEIGHT - height} width={1 - GAP} height={height}>
              <title>{`${bar.label}: ${formatCost(bar.cost)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="flex between gap-12 small muted number">
        <span>{bars[0]?.label}</span>
        <span>{most > 0 ? `Up to ${formatCost(most)} a day` : text}</span>
        <span>{bars.at(-1)?.label}</span>
      </figcaption>
    </figure>
  );
}
