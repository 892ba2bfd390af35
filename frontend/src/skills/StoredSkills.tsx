import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import {
  chooseVersion,
  deleteSkill,
  listSkillPackages,
  type SkillPackage,
  skillAddress,
  uploadSkill,
} from "../api/skills";
import { formatAgo, formatBytes, plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { shownName } from "../permissions/approvers";
import { ConfirmButton, ExpandableRow } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";

/** The uploaded skills of the site, a team, a project or a person, with their versions. */
export function StoredSkills({ place }: { place: string }) {
  const found = useQuery({ queryKey: ["skill-packages", place], queryFn: () => listSkillPackages(place) });
  const refresh = () => found.refetch();
  return (
    <section className="settings-section stack gap-16 ruled-top" aria-label="Skills">
      <h2>Skills</h2>
      <p className="muted">
        A skill is a folder with a SKILL.md: a description, and instructions for one kind of task. Agents load
        it when the task fits. Its files lie in the home directory of the workspace, outside the repository.
      </p>
      {found.data?.can_edit && <Upload place={place} onUploaded={refresh} />}
      {found.isPending && <Skeleton rows={2} label="Loading the skills" />}
      {found.error && !found.data && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data?.items.length === 0 && <p className="muted">No skills are uploaded here.</p>}
      {found.data && found.data.items.length > 0 && (
        <ul className="ruled-top" aria-label="Uploaded skills">
          {found.data.items.map((skill) => (
            <SkillRow key={skill.id} skill={skill} onChanged={refresh} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Upload({ place, onUploaded }: { place: string; onUploaded: () => Promise<unknown> }) {
  const input = useRef<HTMLInputElement>(null);
  const { run, busy, error } = useAction();
  const upload = (file: File | undefined) =>
    file &&
    void run(async () => {
      await uploadSkill(place, file);
      await onUploaded();
    });
  return (
    <div className="stack gap-8 items-start">
      <button type="button" className="button" disabled={busy} onClick={() => input.current?.click()}>
        <Icon name="plus" size={14} /> {busy ? "Uploading" : "Upload a skill"}
      </button>
      <p className="small muted">
        A zip file of at most 2 MiB. A skill of the same name gets a new version, which is in force at once.
      </p>
      <input
        ref={input}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label="Zip file of a skill"
        onChange={(event) => {
          upload(event.target.files?.[0]);
          event.target.value = ""; // so that the same file can be chosen again
        }}
      />
      {error !== null && <FieldsProblem error={error} />}
    </div>
  );
}

function SkillRow({ skill, onChanged }: { skill: SkillPackage; onChanged: () => Promise<unknown> }) {
  const { run, busy, error } = useAction();
  const act = (change: () => Promise<unknown>) =>
    void run(async () => {
      await change();
      await onChanged();
    });
  const shown = skill.versions.find(({ number }) => number === skill.in_force) ?? skill.versions[0];
  return (
    <ExpandableRow
      name={visibleLine(skill.name)}
      about={
        <span className="muted break-anywhere">
          {visibleLine(shown?.description ?? "")}
          {skill.address && ` · fetched from ${visibleLine(skill.address)}`}
        </span>
      }
      testId="skill-row"
      aside={
        <span className="muted">
          {skill.in_force === null ? "Switched off" : `Version ${skill.in_force}`}
        </span>
      }
      error={error}
    >
      <Versions skill={skill} busy={busy} onChoice={(number) => act(() => chooseVersion(skill.id, number))} />
      {shown && (
        <details>
          <summary className="small">
            {plural(shown.files.length, "file")} in version {shown.number}
          </summary>
          <ul className="small">
            {shown.files.map(({ path, size }) => (
              <li key={path} className="line between gap-8">
                <code className="break-anywhere">{visibleLine(path)}</code>
                <span className="number muted no-shrink">{formatBytes(size)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {skill.can_edit && (
        <div className="flow">
          <ConfirmButton
            verb="Remove"
            name={visibleLine(skill.name)}
            lost="All versions of the skill are deleted. Agents cannot load it any more."
            busy={busy}
            onConfirm={() => act(() => deleteSkill(skill.id))}
          />
        </div>
      )}
    </ExpandableRow>
  );
}

interface VersionsProps {
  skill: SkillPackage;
  busy: boolean;
  onChoice: (number: number | null) => void;
}

/** The versions of a skill: one or none is in force. */
function Versions({ skill, busy, onChoice }: VersionsProps) {
  const choices = [
    ...skill.versions.map((version) => ({
      number: version.number as number | null,
      label: `Version ${version.number}`,
      about: `uploaded ${formatAgo(version.created_at)}${version.uploaded_by ? ` by ${shownName(version.uploaded_by)}` : ""}`,
    })),
    { number: null, label: "Off", about: "agents cannot load it" },
  ];
  return (
    <fieldset className="stack gap-6" disabled={busy || !skill.can_edit}>
      <legend className="medium">In force</legend>
      {choices.map(({ number, label, about }) => (
        <div key={label} className="line gap-8">
          <label className="inline gap-6">
            <input
              type="radio"
              name={`version-of-${skill.id}`}
              checked={skill.in_force === number}
              onChange={() => onChoice(number)}
            />
            {label}
          </label>
          <span className="small muted">{about}</span>
          {number !== null && (
            <a className="link small" href={skillAddress(skill.id, number)} download>
              Download
            </a>
          )}
        </div>
      ))}
    </fieldset>
  );
}
