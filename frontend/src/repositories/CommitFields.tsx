import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";

/** Commit settings; null and "" stand for those of the team. */
export interface CommitDraft {
  author: "person" | "agent" | null;
  committer_name: string;
  committer_email: string;
  co_author: boolean | null;
  sign_off: boolean | null;
  sign: boolean | null;
}

interface CommitFieldsProps {
  draft: CommitDraft;
  /** What applies where the draft leaves it open. */
  applied: CommitDraft;
  /** Whether the settings are those of a project, which can leave them to the team. */
  ofProject?: boolean;
  onDraft: (draft: CommitDraft) => void;
}

const AUTHORS = { person: "the person of the prompt", agent: "the agent" };

/** The fields of commit settings, for a team or a project. */
export function CommitFields({ draft, applied, ofProject = false, onDraft }: CommitFieldsProps) {
  const change = (part: Partial<CommitDraft>) => onDraft({ ...draft, ...part });
  return (
    <>
      <label className="field">
        <span>Author of commits</span>
        <select
          value={draft.author ?? ""}
          onChange={(event) => change({ author: (event.target.value || null) as CommitDraft["author"] })}
        >
          {ofProject && <option value="">as in the team ({AUTHORS[applied.author ?? "person"]})</option>}
          <OptionList of={Object.entries(AUTHORS)} />
        </select>
      </label>
      <TextField
        label="Name of the committer"
        maxLength={120}
        placeholder={applied.committer_name}
        value={draft.committer_name}
        onText={(committer_name) => change({ committer_name })}
      />
      <TextField
        label="Address of the committer"
        type="email"
        maxLength={254}
        placeholder={applied.committer_email}
        value={draft.committer_email}
        onText={(committer_email) => change({ committer_email })}
      />
      <Switch
        label="Name the person or the agent, whichever is not the author, as co-author"
        value={draft.co_author}
        applied={!!applied.co_author}
        ofProject={ofProject}
        onValue={(co_author) => change({ co_author })}
      />
      <Switch
        label="Add a Signed-off-by line for the person"
        value={draft.sign_off}
        applied={!!applied.sign_off}
        ofProject={ofProject}
        onValue={(sign_off) => change({ sign_off })}
      />
      <Switch
        label="Sign commits with the team's key"
        value={draft.sign}
        applied={!!applied.sign}
        ofProject={ofProject}
        onValue={(sign) => change({ sign })}
      />
    </>
  );
}

interface SwitchProps {
  label: string;
  value: boolean | null;
  applied: boolean;
  ofProject: boolean;
  onValue: (value: boolean | null) => void;
}

function Switch({ label, value, applied, ofProject, onValue }: SwitchProps) {
  if (!ofProject)
    return (
      <label className="line gap-6">
        <input type="checkbox" checked={!!value} onChange={() => onValue(!value)} /> {label}
      </label>
    );
  return (
    <label className="field">
      <span>{label}</span>
      <select
        value={value === null ? "" : String(value)}
        onChange={(event) => onValue(event.target.value ? event.target.value === "true" : null)}
      >
        <option value="">as in the team ({applied ? "yes" : "no"})</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    </label>
  );
}
