import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { createProject } from "../api/teams";
import type { Me } from "../api/types";
import { createProjectOf, type Upload } from "../api/uploads";
import { keys, queryClient } from "../app/queries";
import {
  type ChosenRepository,
  choiceOf,
  isChosen,
  nameOf,
  RepositoryChooser,
} from "../repositories/RepositoryChooser";
import { FieldsProblem } from "../ui/FieldsProblem";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { useDrop } from "../ui/useDrop";
import { sourceOfDrop, type UploadSource } from "../uploads/source";
import { UploadPicker } from "../uploads/UploadPicker";
import { JUST_MADE } from "./paths";
import "./create-project.css";

/** What the project's workspaces start with. */
const STARTS = [
  { name: "repository", label: "A repository" },
  { name: "upload", label: "Uploaded files" },
  { name: "empty", label: "An empty repository" },
] as const;
type Start = (typeof STARTS)[number]["name"];

interface CreateProjectProps {
  teams: Me["teams"];
  /** The team that is chosen at first; the first one without it. */
  teamId?: string;
  /** Adds a button that closes the dialog. */
  onClose?: () => void;
}

/** Creates a project from a repository, an upload or nothing, and opens its page. */
export function CreateProject({ teams, teamId: wanted, onClose }: CreateProjectProps) {
  const [, go] = useLocation();
  const [teamId, setTeamId] = useState(wanted || (teams[0]?.id ?? ""));
  const [typed, setTyped] = useState<string | null>(null);
  const [start, setStart] = useState<Start>("repository");
  const [chosen, setChosen] = useState<ChosenRepository>({});
  const [dropped, setDropped] = useState<UploadSource | null>(null);
  const [upload, setUpload] = useState<Upload | null>(null);
  const [fileName, setFileName] = useState("");
  const { run, busy, error } = useAction();
  const ready = { repository: isChosen(chosen), upload: upload !== null, empty: true }[start];
  const suggested = { repository: nameOf(chosen), upload: nameFrom(fileName), empty: "" }[start];
  const name = typed ?? suggested;
  const create = () => {
    if (start === "upload" && upload) return createProjectOf(upload.id, name);
    const repository = start === "repository" ? { repository: choiceOf(chosen) } : {};
    return createProject(teamId, { name, ...repository });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const project = await create();
      await queryClient.invalidateQueries({ queryKey: keys.projects });
      onClose?.();
      go(`/projects/${project.id}`, { state: JUST_MADE });
    });
  };
  const restart = (next: Start, files: UploadSource | null = null) => {
    setStart(next);
    setDropped(files);
    setUpload(null);
    setFileName("");
  };
  const isOver = useDrop((files) => {
    if (start === "upload" || busy) return; // the picker takes them
    void sourceOfDrop(files).then((found) => found && restart("upload", found));
  });
  return (
    <div className="confirm stack gap-16">
      <StartChoice start={start} onStart={restart} disabled={busy} />
      {isOver && start !== "upload" && (
        <p className="upload-picker boxed muted" data-over role="status">
          Drop it to start with these files.
        </p>
      )}
      {teams.length > 1 && (
        <label className="field">
          <span>Team</span>
          <select
            value={teamId}
            onChange={(event) => {
              setTeamId(event.target.value);
              setChosen({});
            }}
          >
            <OptionList of={teams.map((team) => [team.id, team.name])} />
          </select>
        </label>
      )}
      {start === "repository" && (
        <RepositoryChooser key={teamId} teamId={teamId} chosen={chosen} onChoose={setChosen} />
      )}
      {start === "upload" && (
        <UploadPicker
          key={teamId}
          teamId={teamId}
          dropped={dropped}
          onUpload={(found, called) => {
            setUpload(found);
            setFileName(called);
          }}
        />
      )}
      <form className="stack gap-16" onSubmit={submit} aria-label="Create a project">
        <TextField label="Name" required maxLength={120} value={name} onText={setTyped} />
        {error !== null && <FieldsProblem error={error} />}
        <div className="flow end">
          {onClose && (
            <button type="button" className="button" onClick={onClose}>
              Cancel
            </button>
          )}
          <button type="submit" className="button primary" disabled={busy || !name.trim() || !ready}>
            Create project
          </button>
        </div>
      </form>
    </div>
  );
}

interface StartChoiceProps {
  start: Start;
  onStart: (start: Start) => void;
  disabled: boolean;
}

function StartChoice({ start, onStart, disabled }: StartChoiceProps) {
  return (
    <fieldset className="start-choice stack gap-4" disabled={disabled}>
      <legend>Start with</legend>
      <div className="flow gap-16 gap-y-4">
        {STARTS.map((choice) => (
          <label key={choice.name} className="line gap-6">
            <input
              type="radio"
              name="start"
              checked={start === choice.name}
              onChange={() => onStart(choice.name)}
            />
            {choice.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Returns a project's name for an uploaded file: without its endings, and without "-main" of a forge's archive. */
const nameFrom = (fileName: string): string =>
  fileName.replace(/\.(zip|tar|tgz|tbz2|txz|bundle|tar\.\w+)$/i, "").replace(/-(main|master)$/, "");
