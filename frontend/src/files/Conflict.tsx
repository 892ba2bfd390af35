import { createTwoFilesPatch } from "diff";
import { useMemo } from "react";
import { DiffView } from "../ui/DiffView";

interface ConflictProps {
  path: string;
  theirs: string;
  mine: string;
  busy: boolean;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** A file that changed after somebody began to edit it: the person sees both and decides. */
export function Conflict({ path, theirs, mine, busy, onKeepMine, onTakeTheirs }: ConflictProps) {
  const patch = useMemo(() => createTwoFilesPatch(path, path, theirs, mine), [path, theirs, mine]);
  return (
    <section className="files-conflict stack gap-8" aria-label="Conflict" role="alert">
      <p>
        <strong>The file changed since you began to edit it.</strong> Below you see what your text would
        change in the current file.
      </p>
      <DiffView patch={patch} path={path} />
      <div className="flow gap-8">
        <button type="button" className="button" disabled={busy} onClick={onTakeTheirs}>
          Discard my changes
        </button>
        <button type="button" className="button danger" disabled={busy} onClick={onKeepMine}>
          Replace it with my text
        </button>
      </div>
    </section>
  );
}
