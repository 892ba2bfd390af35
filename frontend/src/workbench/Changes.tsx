import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { readFileDiff } from "../api/endpoints";
import type { FileDiff, SessionDiff } from "../api/types";
import { useDiff } from "../app/queries";
import { plural } from "../lib/format";
import { useLive } from "../store/SessionContext";
import { Chevron } from "../ui/Chevron";
import { DiffView } from "../ui/DiffView";
import { Problem, Skeleton } from "../ui/Notice";
import "./Changes.css";

type DiffQuery = UseQueryResult<SessionDiff>;

/** Reads the session's diff, and again whenever an edit or a command ends. */
export function useChanges(sessionId: string): DiffQuery {
  const version = useLive((state) => state.filesVersion);
  return useDiff(sessionId, version, version > 0);
}

interface ChangesProps {
  sessionId: string;
  changes: DiffQuery;
  /** Whose changes they are, for assistive technology. */
  of?: string;
}

export function Changes({ sessionId, changes, of = "whole session" }: ChangesProps) {
  if (changes.error && !changes.data) return <Problem error={changes.error} />;
  if (!changes.data) return <Skeleton rows={4} label="Loading changes" />;
  const { files, folded = [], more_files: more = 0 } = changes.data;
  const stale = changes.error ? <Problem error={changes.error} /> : null;
  if (files.length === 0 && folded.length === 0) {
    return stale ?? <p className="empty">No files changed since the start of this session.</p>;
  }
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  return (
    <>
      {stale}
      <p className="panel-summary muted number">
        {plural(files.length + more, "file")} changed <Counts additions={added} deletions={removed} />{" "}
        <Link className="link" href={`/sessions/${sessionId}/review`}>
          Review
        </Link>
      </p>
      {files.map((file) => (
        <ChangedFile
          key={file.path}
          sessionId={sessionId}
          file={file}
          of={of}
          startOpen={files.length <= 5 && file.cut === ""}
        />
      ))}
      {more > 0 && <p className="panel-summary muted">{plural(more, "more file")} changed.</p>}
      {folded.map((folder) => (
        <p key={folder.path} className="panel-summary ruled-top muted" data-testid="folded-folder">
          <span className="mono break-anywhere">{folder.path}/</span> {plural(folder.files, "file")} (
          {FOLDER_KINDS[folder.kind]})
        </p>
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

const STATUS_LABELS = {
  added: "Added",
  modified: "Modified",
  deleted: "Deleted",
  renamed: "Renamed",
} as const;
const FOLDER_KINDS = { dependencies: "dependencies", cache: "cache", build: "build products" } as const;

interface FileProps {
  sessionId: string;
  file: FileDiff;
  of: string;
}

function ChangedFile(props: FileProps & { startOpen: boolean }) {
  const { sessionId, file, of, startOpen } = props;
  const [isOpen, setOpen] = useState(startOpen);
  const slash = file.path.lastIndexOf("/") + 1;
  return (
    <section className="changed-file ruled-top" data-testid="changed-file" data-path={file.path}>
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
        {file.counted && !file.binary && <Counts additions={file.additions} deletions={file.deletions} />}
      </button>
      {isOpen && <FileContent sessionId={sessionId} file={file} of={of} />}
    </section>
  );
}

/** The patch of a file. One that was left out of the list is loaded alone. */
function FileContent({ sessionId, file, of }: FileProps) {
  const isLeftOut = file.cut !== "" && file.cut !== "not_recorded";
  const alone = useQuery({
    queryKey: ["file-diff", sessionId, file.path, file.version],
    queryFn: () => readFileDiff(sessionId, file.path),
    enabled: isLeftOut,
  });
  const shown = isLeftOut ? alone.data?.files[0] : file;
  if (alone.error) return <Problem error={alone.error} />;
  if (!shown) return <Skeleton rows={2} label={`Loading ${file.path}`} />;
  if (shown.binary) return <p className="empty">Binary file.</p>;
  if (shown.cut !== "") {
    return <p className="empty">This change is too large to show. Download the patch to read it.</p>;
  }
  return <DiffView patch={shown.patch} path={`${file.path}, ${of}`} />;
}
