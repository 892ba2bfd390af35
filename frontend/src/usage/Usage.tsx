import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type GroupBy, type ModelUsage, readTeamUsage, usageTableAddress } from "../api/providers";
import { formatCost, formatCount, formatNumber } from "../lib/format";
import type { TeamTabProps } from "../team/tabProps";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { DailyChart } from "./DailyChart";
import { dailyBars, GROUP_LABELS, SPAN_DAYS, spanOf, tokensOf, unknownPriceText } from "./shape";
import "./usage.css";

/** Cost of the team's model calls as a table, and as a chart when grouped by day. */
export function Usage({ team }: TeamTabProps) {
  const [span, setSpan] = useState("30 days");
  const [groupBy, setGroupBy] = useState<GroupBy>("day");
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
        <a className="button" href={usageTableAddress(team.id, query)} download>
          <Icon name="down" size={14} /> Download CSV
        </a>
      </div>
      {usage.isPending && <Skeleton rows={6} label="Loading the usage" />}
      {usage.error && !usage.data && <Problem error={usage.error} onRetry={usage.refetch} />}
      {usage.data && <Loaded usage={usage.data} groupBy={groupBy} />}
    </>
  );
}

function Loaded({ usage, groupBy }: { usage: ModelUsage; groupBy: GroupBy }) {
  const { total } = usage;
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
          {groupBy === "day" && usage.since && usage.until && (
            <DailyChart bars={dailyBars(usage.items, usage.since, usage.until)} />
          )}
          <UsageTable usage={usage} heading={GROUP_LABELS[groupBy]} />
        </>
      )}
    </>
  );
}

export function UsageTable({ usage, heading }: { usage: ModelUsage; heading: string }) {
  const most = Math.max(...usage.items.map((item) => Number(item.cost)), 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="table-scroller" aria-label={`Usage by ${heading.toLowerCase()}`} tabIndex={0}>
      <table className="plain-table full-width">
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">Cost</th>
            <th scope="col">Calls</th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
            <th scope="col">Cached</th>
          </tr>
        </thead>
        <tbody>
          {usage.items.map((item) => (
            <tr key={`${item.key} ${item.label}`} data-testid="usage-row">
              <th scope="row">{item.label || item.key}</th>
              <td className="number">
                {formatCost(Number(item.cost), item.unknown)}
                {item.unknown > 0 && <span className="muted"> ({unknownPriceText(item.unknown)})</span>}
                <progress
                  className="usage-share full-width"
                  aria-hidden="true"
                  max={most || 1}
                  value={Number(item.cost)}
                />
              </td>
              <td className="number">{formatNumber(item.calls)}</td>
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
