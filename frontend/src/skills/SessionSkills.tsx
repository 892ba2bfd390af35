import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listSessionSkills, type SessionSkill } from "../api/skills";
import { visibleLine } from "../lib/visible";
import { useLive } from "../store/SessionContext";

const SOURCES: Readonly<Record<SessionSkill["source"], string>> = {
  site: "the site",
  team: "the team",
  person: "the person who started the session",
  file: "the repository",
  project: "the project",
};

/** The skills of a session, each with its source. Read again after each step. */
export function SessionSkills({ sessionId }: { sessionId: string }) {
  const messages = useLive((state) => Object.keys(state.messages).length);
  const found = useQuery({
    queryKey: ["session-skills", sessionId, messages],
    queryFn: () => listSessionSkills(sessionId),
    placeholderData: keepPreviousData,
  });
  const skills = found.data?.items ?? [];
  if (skills.length === 0) return null;
  return (
    <section aria-label="Skills" className="stack gap-6">
      <h3 className="small medium">Skills</h3>
      <ul className="stack gap-8">
        {skills.map((skill) => (
          <li key={skill.name} className="small" data-testid="session-skill">
            <code className="medium break-anywhere">{visibleLine(skill.name)}</code>{" "}
            <span>{visibleLine(skill.problem || skill.description)}</span>{" "}
            <span className="muted">
              (of {SOURCES[skill.source]}
              {skill.source === "file" && `, ${visibleLine(skill.folder)}`}
              {!skill.listed && !skill.problem && "; a rule denies it to this agent"})
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
