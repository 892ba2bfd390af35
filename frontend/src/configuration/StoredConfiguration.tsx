import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { AccountTabProps } from "../account/tabProps";
import { readStoredConfiguration, type StoredConfiguration, saveConfiguration } from "../api/configuration";
import { hasCode } from "../api/http";
import { queryClient } from "../app/queries";
import { NewerText } from "../environment/NewerText";
import type { ProjectTabProps } from "../project/tabProps";
import { StoredSkills } from "../skills/StoredSkills";
import type { TeamTabProps } from "../team/tabProps";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { keyOf } from "./keys";
import { PublishedDefaults } from "./PublishedDefaults";
import { isReadingSkills, SkillSources } from "./SkillSources";
import { ValueNotes } from "./ValueNotes";

const POLL_MS = 2000;
const EXAMPLE = `{
  // the keys of opencode.json
  "command": {
    "explain": { "template": "Explain @$1 to a new colleague." }
  }
}`;

export function TeamConfiguration({ team }: TeamTabProps) {
  return (
    <ConfigurationDocument
      withDefaults
      place={team.id}
      intro="Applies to every session of the team. Files of a repository, settings of a project and a session's own configuration are stronger."
    />
  );
}

export function ProjectConfiguration({ project }: ProjectTabProps) {
  return (
    <ConfigurationDocument
      place={project.id}
      intro="Applies to every session of this project, and is stronger than the files of its repository."
    />
  );
}

export function MyConfiguration({ me }: AccountTabProps) {
  return (
    <ConfigurationDocument
      place={me.user.id}
      intro="Applies to the sessions that you start, in every project. Rules in it can only make rules stricter. People who see such a session can read the instructions in its system prompt."
    />
  );
}

interface DocumentProps {
  place: string;
  intro: string;
  /** Whether an organisation can publish defaults for it. */
  withDefaults?: boolean;
}

/** The stored configuration of the site, a team, a project or a person: commands, models and instructions. */
export function ConfigurationDocument({ place, intro, withDefaults = false }: DocumentProps) {
  const found = useQuery({
    queryKey: keyOf(place),
    queryFn: () => readStoredConfiguration(place),
    refetchInterval: ({ state }) => (state.data && isReadingSkills(state.data) ? POLL_MS : false),
  });
  return (
    <>
      <p className="muted tab-intro">{intro}</p>
      {found.isPending && <Skeleton rows={6} label="Loading the configuration" />}
      {found.error && !found.data && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data && <DocumentForm key={place} stored={found.data} />}
      {found.data && withDefaults && <PublishedDefaults key={`${place} defaults`} stored={found.data} />}
      {found.data && <SkillSources stored={found.data} />}
      <StoredSkills place={place} />
    </>
  );
}

type Texts = Pick<StoredConfiguration, "text" | "instructions">;
const LABELS: Record<string, string> = {
  text: "Configuration",
  instructions: "Instructions for every agent",
};
const FIELDS = ["text", "instructions"] as const;

function DocumentForm({ stored }: { stored: StoredConfiguration }) {
  const { draft, change, newer, settle, save, isChanged } = useDraft(stored);
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(save);
  };
  return (
    <form className="settings-form stack gap-16" onSubmit={submit} aria-label="Configuration">
      <label className="field">
        <span>{LABELS.instructions}</span>
        <textarea
          rows={6}
          readOnly={!stored.can_edit}
          value={draft.instructions}
          placeholder="Write tests for what you change."
          onChange={(event) => change({ instructions: event.target.value })}
        />
      </label>
      <label className="field">
        <span>{LABELS.text}</span>
        <textarea
          rows={14}
          className="mono"
          spellCheck={false}
          readOnly={!stored.can_edit}
          value={draft.text}
          placeholder={EXAMPLE}
          onChange={(event) => change({ text: event.target.value })}
        />
      </label>
      <p className="muted">
        JSON with comments, with the keys of OpenCode&apos;s configuration: commands, models, compaction and
        more. Keys and passwords do not belong here.
      </p>
      {error !== null && <FieldsProblem error={error} fieldLabel={(field) => LABELS[field] ?? field} />}
      {newer && (
        <NewerText
          changedBy={stored.changed_by}
          saved={stored[newer]}
          draft={draft[newer]}
          onChoice={(text) => settle(newer, text)}
        />
      )}
      {stored.can_edit && (
        <div>
          <button type="submit" className="button primary" disabled={busy || !isChanged || !!newer}>
            Save configuration
          </button>
        </div>
      )}
      <ValueNotes notes={stored.notes} label="About these values" />
    </form>
  );
}

/** A draft of both texts, which is never saved over a text that the person has not seen. */
function useDraft(stored: StoredConfiguration) {
  const [draft, setDraft] = useState<Texts>(stored);
  const [base, setBase] = useState<Texts>(stored);
  const edited = FIELDS.filter((field) => draft[field] !== base[field]);
  const newer = edited.find((field) => stored[field] !== base[field] && stored[field] !== draft[field]);
  if (!newer && FIELDS.some((field) => stored[field] !== base[field])) {
    const kept = Object.fromEntries(edited.map((field) => [field, draft[field]]));
    setBase(stored);
    setDraft({ text: stored.text, instructions: stored.instructions, ...kept });
  }
  const save = async () => {
    const { text, instructions } = draft;
    try {
      const saved = await saveConfiguration(stored.place, {
        text,
        instructions,
        base_version: stored.version,
      });
      queryClient.setQueryData(keyOf(stored.place), saved);
    } catch (problem) {
      if (!hasCode(problem, "stale_configuration")) throw problem;
      await queryClient.invalidateQueries({ queryKey: keyOf(stored.place) });
    }
  };
  return {
    draft,
    newer,
    isChanged: edited.length > 0,
    change: (part: Partial<Texts>) => setDraft({ ...draft, ...part }),
    settle: (field: keyof Texts, text: string) => {
      setDraft({ ...draft, [field]: text });
      setBase({ ...base, [field]: stored[field] });
    },
    save,
  };
}
