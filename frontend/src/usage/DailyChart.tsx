import { type Bar, formatMeasured, MEASURE_LABELS, type Measure } from "./shape";
import "./usage.css";

const HEIGHT = 120;
const GAP = 0.2;

/** A bar chart of the cost, tokens or calls of each day. The table below has the same numbers. */
export function DailyChart({ bars, measure }: { bars: readonly Bar[]; measure: Measure }) {
  const most = Math.max(...bars.map((bar) => bar.amount), 0);
  const highest = bars.find((bar) => bar.amount === most);
  const text = most > 0 && highest ? describe(bars, highest, measure) : nothing(bars, measure);
  return (
    <figure className="usage-chart">
      <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
        {bars.map((bar, at) => {
          const height = most > 0 ? (bar.amount / most) * HEIGHT : 0;
          return (
            <rect key={bar.key} x={at + GAP / 2} y={HEIGHT - height} width={1 - GAP} height={height}>
              <title>{`${bar.label}: ${formatMeasured(bar.amount, measure, bar.unknown)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="flex between gap-12 small muted number">
        <span>{bars[0]?.label}</span>
        <span>{most > 0 ? `Up to ${formatMeasured(most, measure)} a day` : text}</span>
        <span>{bars.at(-1)?.label}</span>
      </figcaption>
    </figure>
  );
}

function describe(bars: readonly Bar[], highest: Bar, measure: Measure): string {
  const period = `${MEASURE_LABELS[measure]} per day from ${bars[0]?.label} to ${bars.at(-1)?.label}`;
  return `${period}. The highest is ${formatMeasured(highest.amount, measure)} on ${highest.label}.`;
}

/** Says why no bar is shown: no cost is something else than a cost that nobody knows. */
function nothing(bars: readonly Bar[], measure: Measure): string {
  if (measure === "cost" && bars.some((bar) => bar.unknown > 0))
    return "The prices of these calls are not known. Choose tokens or calls to compare days.";
  return `No ${MEASURE_LABELS[measure].toLowerCase()} in this period.`;
}
