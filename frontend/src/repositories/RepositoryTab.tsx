import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import {
  changeProjectRepository,
  type ProjectRepository,
  type ProjectRepositoryState,
  readProjectRepository,
  removeProjectRepository,
} from "../api/repositories";
import { queryClient } from "../app/queries";
import { visibleLine } from "../lib/visible";
import type { ProjectTabProps } from "../project/tabProps";
import { ConfirmButton } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { UploadedFiles } from "../uploads/UploadedFiles";
import { type CommitDraft, CommitFields } from "./CommitFields";
import { repositoryKey, stateLabel } from "./kinds";
import { type ChosenRepository, choiceOf, isChosen, RepositoryChooser } from "./RepositoryChooser";

/** The repository of a project: which one, where workspaces start, and how sessions commit and push. */
export function RepositoryTab({ project, mayChange }: ProjectTabProps) {
  const key = repositoryKey(project.id);
  const found = useQuery({ queryKey: key, queryFn: () => readProjectRepository(project.id) });
  const [choosing, setChoosing] = useState(false);
  if (found.error && !found.data) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Skeleton rows={4} label="Loading the repository" />;
  const { repository } = found.data;
  const readOnly = !mayChange || !found.data.can_edit || !!project.remove_at;
  const save = (state: ProjectRepositoryState) => {
    queryClient.setQueryData(key, state);
    setChoosing(false);
  };
  return (
    <>
      <p className="muted tab-intro">
        New workspaces start from the repository, and sessions push to branches of their own. Workspaces that
        exist keep their files when it is changed.
      </p>
      {repository ? (
        <Summary repository={repository} />
      ) : (
        <p className="muted">No repository is connected.</p>
      )}
      {!readOnly && (choosing || !repository) && (
        <Choose teamId={project.team_id} projectId={project.id} now={repository} onSaved={save} />
      )}
      {!repository && <UploadedFiles project={project} mayChange={mayChange} />}
      {!readOnly && repository && !choosing && (
        <>
          <Options key={repository.version} projectId={project.id} now={repository} onSaved={save} />
          <Disconnect
            projectId={project.id}
            name={repository.full_name}
            onChoose={() => setChoosing(true)}
            onDone={() => found.refetch()}
          />
        </>
      )}
    </>
  );
}

function Summary({ repository }: { repository: ProjectRepository }) {
  const { connection } = repository;
  const hasProblem = connection?.state === "failed" || connection?.state === "revoked";
  return (
    <div className="stack gap-4" data-testid="repository-summary">
      <strong className="break-anywhere">{visibleLine(repository.full_name)}</strong>
      <span className="muted break-anywhere">
        {repository.clone_url}
        {connection ? ` through ${visibleLine(connection.name)}` : ", public: sessions cannot push to it"}
      </span>
      {connection && hasProblem && (
        <p className="flex align-baseline gap-6 text-failed" role="status">
          <Icon name="warning" size={14} />
          <span>
            The connection {visibleLine(connection.name)}: {stateLabel(connection.state).toLowerCase()}.{" "}
            {visibleLine(connection.message) || "An admin of the team can replace its credential."}
          </span>
        </p>
      )}
    </div>
  );
}

interface ChooseProps {
  teamId: string;
  projectId: string;
  now: ProjectRepository | null;
  onSaved: (state: ProjectRepositoryState) => void;
}

function Choose({ teamId, projectId, now, onSaved }: ChooseProps) {
  const [chosen, setChosen] = useState<ChosenRepository>({});
  const { run, busy, error } = useAction();
  const save = () =>
    void run(async () => {
      onSaved(
        await changeProjectRepository(projectId, {
          ...settingsOf(now),
          ...choiceOf(chosen),
          base_version: now?.version ?? 0,
        }),
      );
    });
  return (
    <div className="settings-form stack gap-16">
      <RepositoryChooser teamId={teamId} chosen={chosen} onChoose={setChosen} />
      {error !== null && <FieldsProblem error={error} />}
      <div>
        <button type="button" className="button primary" disabled={busy || !isChosen(chosen)} onClick={save}>
          Connect repository
        </button>
      </div>
    </div>
  );
}

/** What is kept when another repository is chosen. */
const settingsOf = (now: ProjectRepository | null) =>
  now
    ? {
        branch_prefix: now.branch_prefix,
        protected: now.protected,
        history: now.history,
        depth: now.depth,
        folders: now.folders,
        submodules: now.submodules,
        lfs: now.lfs,
        ...commitsOf(now),
      }
    : {};

const commitsOf = (now: CommitDraft): CommitDraft => ({
  author: now.author,
  committer_name: now.committer_name,
  committer_email: now.committer_email,
  co_author: now.co_author,
  sign_off: now.sign_off,
  sign: now.sign,
});

const HISTORIES: [string, string][] = [
  ["auto", "everything, unless it is large"],
  ["partial", "all commits; contents of older files when git needs them"],
  ["shallow", "the newest commits of one branch"],
];

interface OptionsProps {
  projectId: string;
  now: ProjectRepository;
  onSaved: (state: ProjectRepositoryState) => void;
}

function Options({ projectId, now, onSaved }: OptionsProps) {
  const [branch, setBranch] = useState(now.default_branch);
  const [prefix, setPrefix] = useState(now.branch_prefix);
  const [patterns, setPatterns] = useState(now.protected.join("\n"));
  const [history, setHistory] = useState(now.history);
  const [depth, setDepth] = useState(String(now.depth));
  const [folders, setFolders] = useState(now.folders.join("\n"));
  const [submodules, setSubmodules] = useState(now.submodules.join("\n"));
  const [lfs, setLfs] = useState(now.lfs);
  const [commits, setCommits] = useState(() => commitsOf(now));
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      onSaved(
        await changeProjectRepository(projectId, {
          connection: now.connection?.id ?? null,
          url: now.clone_url,
          ref: branch.trim(),
          branch_prefix: prefix.trim(),
          protected: patterns.split("\n").filter((line) => line.trim()),
          history,
          depth: Number(depth) || now.depth,
          folders: folders.split("\n").filter((line) => line.trim()),
          submodules: submodules.split("\n").filter((line) => line.trim()),
          lfs,
          ...commits,
          base_version: now.version,
        }),
      );
    });
  };
  return (
    <form
      className="settings-form stack gap-16"
      onSubmit={submit}
      aria-label="How sessions use the repository"
    >
      <TextField
        label="Branch that workspaces start from"
        placeholder="default branch"
        value={branch}
        onText={setBranch}
      />
      <TextField
        label="Names of session branches begin with"
        required
        maxLength={100}
        value={prefix}
        onText={setPrefix}
      />
      <label className="field">
        <span>Protected branches, one pattern in a line</span>
        <textarea
          rows={5}
          className="mono"
          spellCheck={false}
          value={patterns}
          onChange={(event) => setPatterns(event.target.value)}
        />
      </label>
      <label className="field">
        <span>History in new workspaces</span>
        <select value={history} onChange={(event) => setHistory(event.target.value as typeof history)}>
          <OptionList of={HISTORIES} />
        </select>
      </label>
      {history === "shallow" && (
        <TextField
          label="Number of commits"
          type="number"
          inputMode="numeric"
          min={1}
          max={10000}
          value={depth}
          onText={setDepth}
        />
      )}
      <label className="field">
        <span>Folders of new workspaces, one in a line; all if empty</span>
        <textarea
          rows={3}
          className="mono"
          spellCheck={false}
          placeholder="services/shop"
          value={folders}
          onChange={(event) => setFolders(event.target.value)}
        />
      </label>
      {now.connection && (
        <label className="field">
          <span>Submodules at the same server that workspaces may read, one in a line</span>
          <textarea
            rows={3}
            className="mono"
            spellCheck={false}
            placeholder="owner/name or owner/*"
            value={submodules}
            onChange={(event) => setSubmodules(event.target.value)}
          />
        </label>
      )}
      <label className="line gap-6">
        <input type="checkbox" checked={lfs} onChange={() => setLfs(!lfs)} /> New workspaces have the files in
        Git LFS, not their pointers
      </label>
      <CommitFields draft={commits} applied={now.commits} ofProject onDraft={setCommits} />
      {error !== null && <FieldsProblem error={error} />}
      <div>
        <button type="submit" className="button primary" disabled={busy}>
          Save
        </button>
      </div>
    </form>
  );
}

interface DisconnectProps {
  projectId: string;
  name: string;
  onChoose: () => void;
  onDone: () => Promise<unknown>;
}

function Disconnect({ projectId, name, onChoose, onDone }: DisconnectProps) {
  const { run, busy, error } = useAction();
  return (
    <div className="settings-section stack gap-12 ruled-top">
      <div className="flow">
        <button type="button" className="button" onClick={onChoose}>
          Choose another repository
        </button>
        <ConfirmButton
          verb="Disconnect"
          name={name}
          lost="Sessions of the project can no longer fetch or push. Workspaces keep their files."
          busy={busy}
          onConfirm={() =>
            void run(async () => {
              await removeProjectRepository(projectId);
              await onDone();
            })
          }
        />
      </div>
      {error !== null && <Problem error={error} />}
    </div>
  );
}
