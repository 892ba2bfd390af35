import type { StoredConfiguration } from "../api/configuration";
import { formatAgo, plural } from "../lib/format";
import { visibleLine } from "../lib/visible";

/** The addresses of `skills.urls` that were read, with what was found at each or why it failed. */
export function SkillSources({ sources }: { sources: StoredConfiguration["skill_sources"] }) {
  if (sources.length === 0) return null;
  return (
    <section className="stack gap-8" aria-label="Addresses of skills">
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
      <p className="small muted">They are read when the configuration is saved, and every six hours.</p>
    </section>
  );
}
