import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type GroupBy, type ModelUsage, readTeamUsage, usageTableAddress } from "../api/providers";
import { formatCost, formatCount, formatNumber } from "../lib/format";
import type { TeamTabProps } from "../team/tabProps";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { DailyChart } from "./DailyChart";
import {
  dailyBars,
  GROUP_LABELS,
  MEASURE_LABELS,
  type Measure,
  measured,
  SPAN_DAYS,
  spanOf,
  tokensOf,
  unknownPriceText,
} from "./shape";
import "./usage.css";

/** The team's model calls by cost, tokens or number: as a table, and as a chart when grouped by day. */
export function Usage({ team }: TeamTabProps) {
  const [span, setSpan] = useState("30 days");
  const [groupBy, setGroupBy] = useState<GroupBy>("day");
  const [measure, setMeasure] = useState<Measure>("cost");
  const query = { ...spanOf(SPAN_DAYS[span] ?? 30), group_by: groupBy };
  const usage = useQuery({
    queryKey: ["usage", team.id, query],
    queryFn: () => readTeamUsage(team.id, query),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className="tool-line cluster gap-12 gap-y-8 usage-choices">
        <label>
          Last{" "}
          <select value={span} onChange={(event) => setSpan(event.target.value)}>
            {Object.keys(SPAN_DAYS).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          by{" "}
          <select value={groupBy} onChange={(event) => setGroupBy(event.target.value as GroupBy)}>
            <OptionList of={Object.entries(GROUP_LABELS)} />
          </select>
        </label>
        <label>
          Compare{" "}
          <select value={measure} onChange={(event) => setMeasure(event.target.value as Measure)}>
            <OptionList of={Object.entries(MEASURE_LABELS)} />
          </select>
        </label>
        <a className="button" href={usageTableAddress(team.id, query)} download>
          <Icon name="down" size={14} /> Download CSV
        </a>
      </div>
      {usage.isPending && <Skeleton rows={6} label="Loading the usage" />}
      {usage.error && !usage.data && <Problem error={usage.error} onRetry={usage.refetch} />}
      {usage.data && <Loaded usage={usage.data} groupBy={groupBy} measure={measure} />}
    </>
  );
}

function Loaded(props: { usage: ModelUsage; groupBy: GroupBy; measure: Measure }) {
  const { usage, groupBy, measure } = props;
  const { total, since, until } = usage;
  const notes = [
    unknownPriceText(total.unknown),
    total.estimated > 0 ? `${total.estimated} estimated, because they were interrupted` : "",
    usage.everybody ? "" : "Only your own calls. Admins see everybody's.",
  ].filter(Boolean);
  return (
    <>
      <dl className="usage-total flow">
        <div>
          <dt>Cost</dt>
          <dd>{formatCost(Number(total.cost), total.unknown)}</dd>
        </div>
        <div>
          <dt>Model calls</dt>
          <dd>{formatNumber(total.calls)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>{formatCount(tokensOf(total))}</dd>
        </div>
      </dl>
      {notes.length > 0 && <p className="muted usage-notes">{notes.join(". ")}</p>}
      {total.calls === 0 ? (
        <p className="empty-tab muted">No model calls in this period.</p>
      ) : (
        <>
          {groupBy === "day" && since && until && (
            <DailyChart bars={dailyBars(usage.items, since, until, measure)} measure={measure} />
          )}
          <UsageTable usage={usage} heading={GROUP_LABELS[groupBy]} measure={measure} />
        </>
      )}
    </>
  );
}

/** Usage as a table. The bars compare the rows by `measure`, by which they are sorted unless they are days. */
export function UsageTable(props: { usage: ModelUsage; heading: string; measure?: Measure }) {
  const { usage, heading, measure = "cost" } = props;
  const amount = (item: ModelUsage["items"][number]) => measured(item, measure);
  const most = Math.max(...usage.items.map(amount), 0);
  const byDay = heading === GROUP_LABELS.day;
  const items = byDay ? usage.items : [...usage.items].sort((one, other) => amount(other) - amount(one));
  const share = (item: ModelUsage["items"][number], of: Measure) =>
    of === measure && (
      <progress className="usage-share full-width" aria-hidden="true" max={most || 1} value={amount(item)} />
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="table-scroller" aria-label={`Usage by ${heading.toLowerCase()}`} tabIndex={0}>
      <table className="plain-table full-width">
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">Cost</th>
            <th scope="col">Calls</th>
            <th scope="col">Tokens</th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
            <th scope="col">Cached</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={`${item.key} ${item.label}`} data-testid="usage-row">
              <th scope="row">{item.label || item.key}</th>
              <td className="number">
                {formatCost(Number(item.cost), item.unknown)}
                {item.unknown > 0 && <span className="muted"> ({unknownPriceText(item.unknown)})</span>}
                {share(item, "cost")}
              </td>
              <td className="number">
                {formatNumber(item.calls)}
                {share(item, "calls")}
              </td>
              <td className="number">
                {formatCount(tokensOf(item))}
                {share(item, "tokens")}
              </td>
              <td className="number">{formatCount(item.tokens.input)}</td>
              <td className="number">{formatCount(item.tokens.output + item.tokens.reasoning)}</td>
              <td className="number">{formatCount(item.tokens.cache_read + item.tokens.cache_write)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {usage.more && (
        <p className="muted">The rows with the lowest cost are not shown. The total above includes them.</p>
      )}
    </section>
  );
}
