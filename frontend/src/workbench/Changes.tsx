import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { FileDiff } from "../api/types";
import { useDiff } from "../app/queries";
import { plural } from "../lib/format";
import { useLive } from "../store/SessionContext";
import { Chevron } from "../ui/Chevron";
import { DiffView } from "../ui/DiffView";
import { Problem, Skeleton } from "../ui/Notice";
import "./Changes.css";

type DiffQuery = UseQueryResult<{ files: FileDiff[] }>;

/** Reads the session's diff, and again whenever an edit or a command ends. */
export function useChanges(sessionId: string): DiffQuery {
  return useDiff(
    sessionId,
    useLive((state) => state.filesVersion),
  );
}

export function Changes({ changes }: { changes: DiffQuery }) {
  if (changes.error && !changes.data) return <Problem error={changes.error} />;
  if (!changes.data) return <Skeleton rows={4} label="Loading changes" />;
  const { files } = changes.data;
  const stale = changes.error ? <Problem error={changes.error} /> : null;
  if (files.length === 0) {
    return stale ?? <p className="empty">No files changed since the start of this session.</p>;
  }
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  return (
    <>
      {stale}
      <p className="panel-summary muted number">
        {plural(files.length, "file")} changed <Counts additions={added} deletions={removed} />
      </p>
      {files.map((file) => (
        <ChangedFile key={file.path} file={file} startOpen={files.length <= 5} />
      ))}
    </>
  );
}

export function Counts({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span className="counts medium number">
      <span className="plus">+{additions}</span> <span className="minus">−{deletions}</span>
    </span>
  );
}

const STATUS_LABELS = { added: "Added", modified: "Modified", deleted: "Deleted" } as const;

function ChangedFile({ file, startOpen }: { file: FileDiff; startOpen: boolean }) {
  const [isOpen, setOpen] = useState(startOpen);
  const slash = file.path.lastIndexOf("/") + 1;
  return (
    <section
      className="changed-file ruled-top"
      data-testid="changed-file"
      data-path={file.path}
      aria-label={file.path}
    >
      <button
        type="button"
        className="changed-head line full-width"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron open={isOpen} />
        <span className="changed-path mono small medium grow break-anywhere" title={file.path}>
          <span className="muted">{file.path.slice(0, slash)}</span>
          <wbr />
          {file.path.slice(slash)}
        </span>
        {file.status !== "modified" && <span className="small muted">{STATUS_LABELS[file.status]}</span>}
        <Counts additions={file.additions} deletions={file.deletions} />
      </button>
      {isOpen &&
        (file.binary ? (
          <p className="empty">Binary file.</p>
        ) : (
          <DiffView patch={file.patch} path={`${file.path}, whole session`} />
        ))}
    </section>
  );
}
