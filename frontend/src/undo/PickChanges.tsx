import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type ChangedFile, listFileChanges, type RevertScope } from "../api/reverts";
import { readChanges } from "../api/review";
import { splitHunks } from "../lib/diff";
import { visible } from "../lib/visible";
import { DiffView } from "../ui/DiffView";
import { Problem } from "../ui/Notice";
import "./Undo.css";

/** The files to take back, and the changes of the only one; null stands for all changes. */
export interface Picked {
  paths: readonly string[];
  hunks: readonly number[] | null;
}
export const NOTHING: Picked = { paths: [], hunks: null };

/** What is taken back; null if nothing is picked. */
export function scopeOf(turnId: string, { paths, hunks }: Picked): RevertScope | null {
  if (paths.length === 0 || hunks?.length === 0) return null;
  return { turn_id: turnId, paths: [...paths], ...(hunks ? { hunks: [...hunks] } : {}) };
}

interface PickProps {
  sessionId: string;
  turnId: string;
  picked: Picked;
  onPick: (picked: Picked) => void;
}

/** Picks files of a turn, or single changes of one file. */
export function PickChanges({ sessionId, turnId, picked, onPick }: PickProps) {
  const changes = useQuery({
    queryKey: ["file-changes", sessionId, turnId],
    queryFn: () => listFileChanges(sessionId, turnId),
    gcTime: 0,
  });
  const only = changes.data?.files.find((file) => picked.paths.length === 1 && file.path === picked.paths[0]);
  if (changes.error) return <Problem error={changes.error} />;
  if (!changes.data) return <p className="muted">Reading what the turn changed…</p>;
  if (changes.data.files.length === 0) return <p>This turn changed no files.</p>;
  const toggle = (path: string) =>
    onPick({
      paths: picked.paths.includes(path)
        ? picked.paths.filter((each) => each !== path)
        : [...picked.paths, path],
      hunks: null,
    });
  return (
    <>
      <fieldset className="stack gap-4">
        <legend className="semibold">Files of this turn</legend>
        <ul className="undo-files">
          {changes.data.files.map((file) => (
            <li key={file.path}>
              <FileChoice file={file} checked={picked.paths.includes(file.path)} onToggle={toggle} />
            </li>
          ))}
        </ul>
      </fieldset>
      {only?.status === "modified" && (
        <PickHunks
          key={only.path}
          sessionId={sessionId}
          turnId={turnId}
          path={only.path}
          hunks={picked.hunks}
          onPick={(hunks) => onPick({ paths: [only.path], hunks })}
        />
      )}
    </>
  );
}

interface FileChoiceProps {
  file: ChangedFile;
  checked: boolean;
  onToggle: (path: string) => void;
}

function FileChoice({ file, checked, onToggle }: FileChoiceProps) {
  return (
    <label className="flow gap-8">
      <input type="checkbox" checked={checked} onChange={() => onToggle(file.path)} />
      <span className="mono undo-path">{visible(file.path)}</span>
      <span className="small muted">{file.status}</span>
    </label>
  );
}

interface HunksProps {
  sessionId: string;
  turnId: string;
  path: string;
  hunks: readonly number[] | null;
  onPick: (hunks: readonly number[] | null) => void;
}

/** Picks some of several changes in one file. */
function PickHunks({ sessionId, turnId, path, hunks, onPick }: HunksProps) {
  const file = useQuery({
    queryKey: ["turn-file", sessionId, turnId, path],
    queryFn: async () => (await readChanges(sessionId, { turn: turnId, path })).files[0] ?? null,
    gcTime: 0,
  });
  const shown = useMemo(() => splitHunks(file.data?.patch ?? ""), [file.data]);
  if (file.data?.status !== "modified" || shown.length < 2) return null;
  const all = shown.map((_, number) => number);
  const toggle = (number: number) => {
    const now = hunks ?? all;
    const next = now.includes(number)
      ? now.filter((each) => each !== number)
      : [...now, number].sort((a, b) => a - b);
    onPick(next.length === all.length ? null : next);
  };
  return (
    <fieldset className="stack gap-8">
      <legend className="semibold">Changes to take back</legend>
      {shown.map((patch, number) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the hunks of one patch never move
        <div key={number} className="stack gap-4">
          <label className="inline gap-8">
            <input
              type="checkbox"
              checked={hunks?.includes(number) ?? true}
              onChange={() => toggle(number)}
            />
            Change {number + 1} of {shown.length}
          </label>
          <DiffView patch={patch} path={`${path}, change ${number + 1}`} />
        </div>
      ))}
    </fieldset>
  );
}
