import { useEffect } from "react";
import type { StoredConfiguration } from "../api/configuration";
import { queryClient } from "../app/queries";
import { formatAgo, plural } from "../lib/format";
import { visibleLine } from "../lib/visible";

const READING_MS = 60_000;

/** The addresses of `skills.urls` that were read, with what was found at each or why it failed. */
export function SkillSources({ stored }: { stored: StoredConfiguration }) {
  const { skill_sources: sources, place } = stored;
  const readAt = sources.map(({ tried_at }) => tried_at).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of skills changes when addresses were read
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ["skill-packages", place] });
  }, [place, readAt]);
  const isReading = isReadingSkills(stored);
  if (sources.length === 0 && !isReading) return null;
  return (
    <section className="settings-section stack gap-8" aria-label="Addresses of skills">
      <h2 className="small medium">Addresses of skills</h2>
      <ul className="stack gap-8">
        {sources.map(({ address, skills, problem, tried_at }) => (
          <li key={address} className="break-anywhere">
            <code>{visibleLine(address)}</code>{" "}
            <span className="muted">
              {plural(skills.length, "skill")}, read {formatAgo(tried_at)}
            </span>
            {problem && <p className="text-failed">{visibleLine(problem)}</p>}
          </li>
        ))}
      </ul>
      <p className="small muted" role="status">
        {isReading
          ? "Reading the addresses."
          : "They are read when the configuration is saved, and every six hours."}
      </p>
    </section>
  );
}

/** Whether a document that names addresses was saved a moment ago, and they were not read since. */
export function isReadingSkills(stored: StoredConfiguration): boolean {
  const savedAt = Date.parse(stored.changed_at ?? "");
  const wasRead = stored.skill_sources.some(({ tried_at }) => Date.parse(tried_at) > savedAt);
  return /"urls"/.test(stored.text) && !wasRead && Date.now() - savedAt < READING_MS;
}
