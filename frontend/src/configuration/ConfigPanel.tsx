import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ConfigurationValue, readConfiguration, type SessionConfiguration } from "../api/configuration";
import { atPrefix } from "../lib/prefix";
import { visibleLine } from "../lib/visible";
import { SessionSkills } from "../skills/SessionSkills";
import { useLive } from "../store/SessionContext";
import { Chevron } from "../ui/Chevron";
import { Problem, Skeleton } from "../ui/Notice";
import { groupValues, STATUS, sourceInWords, valueInWords } from "./words";
import "./configuration.css";

/** The configuration of a session: each value with its source, and what does not apply. Read again after each step. */
export function ConfigPanel({ sessionId }: { sessionId: string }) {
  const messages = useLive((state) => Object.keys(state.messages).length);
  const status = useLive((state) => state.session?.status);
  const found = useQuery({
    queryKey: ["configuration", sessionId, messages, status],
    queryFn: () => readConfiguration(sessionId),
    placeholderData: keepPreviousData,
  });
  if (found.error && !found.data) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Skeleton rows={6} label="Loading the configuration" />;
  return (
    <div className="config-panel stack gap-12" data-testid="config-panel">
      <p className="flow gap-12 gap-y-4 muted">
        <span>As OpenCode reads it:</span>
        <a
          className="link"
          href={atPrefix(`/api/v1/sessions/${encodeURIComponent(sessionId)}/config/export`)}
          download
        >
          Download opencode.json
        </a>
      </p>
      <NotApplied found={found.data} />
      <SessionSkills sessionId={sessionId} />
      <InForce values={found.data.items.filter((value) => value.status === "applied")} />
    </div>
  );
}

function NotApplied({ found }: { found: SessionConfiguration }) {
  const values = found.items.filter((value) => value.status !== "applied");
  if (values.length + found.problems.length === 0) {
    return <p className="small muted">Everything in the configuration applies here.</p>;
  }
  return (
    <section aria-label="What does not apply" className="stack gap-6">
      <h3 className="small medium">What does not apply</h3>
      <ul className="stack gap-8">
        {found.problems.map(({ place, problem }) => (
          <li key={`${place} ${problem}`} className="small">
            <code className="break-anywhere">{visibleLine(place)}</code> <span>{visibleLine(problem)}</span>
          </li>
        ))}
        {values.map((value) => (
          <li key={`${value.key} ${valueInWords(value.sources)}`} className="small" data-testid="not-applied">
            <code className="break-anywhere">{visibleLine(value.written || value.key)}</code>{" "}
            <span className="medium">{STATUS[value.status]}.</span> <span>{visibleLine(value.reason)}</span>{" "}
            <span className="muted">({value.sources.map(sourceInWords).map(visibleLine).join(", ")})</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function InForce({ values }: { values: readonly ConfigurationValue[] }) {
  return (
    <section aria-label="What is in force">
      <h3 className="small medium">In force</h3>
      {groupValues(values).map((group) => (
        <details key={group.name} className="config-group ruled-top" data-testid="config-group">
          <summary className="line">
            <Chevron />
            <code className="medium grow">{visibleLine(group.name)}</code>
            {group.values.length > 1 && <span className="number muted">{group.values.length}</span>}
            {group.values.length === 1 && group.values[0] && (
              <span className="ellipsis small muted">{visibleLine(valueInWords(group.values[0].value))}</span>
            )}
          </summary>
          <ul className="stack gap-8">
            {group.values.map((value) => (
              <Value key={value.key} value={value} />
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function Value({ value }: { value: ConfigurationValue }) {
  return (
    <li className="small" data-testid="config-value">
      <div className="line between gap-8 items-start">
        <code className="break-anywhere">{visibleLine(value.path.slice(1).join(".") || value.key)}</code>
        <span className="muted no-shrink">
          {value.sources.map(sourceInWords).map(visibleLine).join(", ")}
        </span>
      </div>
      <p className="config-text break-anywhere">{visibleLine(valueInWords(value.value))}</p>
      {value.reason && <p className="muted">{visibleLine(value.reason)}</p>}
      {value.overridden.map((before, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
        <p key={place} className="muted break-anywhere">
          replaces <s>{visibleLine(valueInWords(before.value))}</s> of {visibleLine(sourceInWords(before))}
        </p>
      ))}
    </li>
  );
}
