import { useState } from "react";
import type { RevertDecision, RevertFile } from "../api/reverts";
import { visible } from "../lib/visible";
import { Chevron } from "../ui/Chevron";
import { DiffView } from "../ui/DiffView";

type Decision = RevertDecision["decision"];

const STATUS_TEXTS: Record<Exclude<RevertFile["status"], "clean">, string> = {
  merged: "merged with what others changed",
  conflict: "conflict",
  kept: "stays as it is",
  taken_back: "taken back",
  done: "is so already",
  not_covered: "not covered",
};

/** Returns what happens to the file. */
function statusText({ status, before, after }: RevertFile): string {
  if (status !== "clean") return STATUS_TEXTS[status];
  if (!after) return "is removed";
  return before ? "gets its old content" : "comes back";
}

interface UndoFilesProps {
  files: readonly RevertFile[];
  decisions: Readonly<Record<string, Decision>>;
  onDecide: (path: string, decision: Decision) => void;
  /** What the person is about to do, as the button says it. */
  verb: string;
}

const ANYWAY: Readonly<Record<string, string>> = {
  Redo: "Redo it anyway",
  Continue: "Restore it to the state after the answer",
};

/** The files of an undo, conflicts first. */
export function UndoFiles({ files, decisions, onDecide, verb }: UndoFilesProps) {
  if (files.length === 0) return null;
  const rank = (file: RevertFile) => (file.status === "conflict" ? 0 : file.status === "not_covered" ? 1 : 2);
  const ordered = [...files].sort((a, b) => rank(a) - rank(b));
  return (
    <ul className="undo-files" aria-label="Files">
      {ordered.map((file) => (
        <li key={file.path} data-status={file.status}>
          <FileRow file={file} />
          {file.status === "conflict" && (
            <Conflict
              file={file}
              decision={decisions[file.path]}
              anyway={ANYWAY[verb] ?? "Take it back anyway"}
              onDecide={(decision) => onDecide(file.path, decision)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function FileRow({ file }: { file: RevertFile }) {
  const [isOpen, setOpen] = useState(false);
  const head = (
    <>
      <span className="mono undo-path">{visible(file.path)}</span>
      <span className="small muted">
        {statusText(file)}
        {file.reason && `: ${file.reason}`}
      </span>
    </>
  );
  if (!file.patch) return <p className="undo-file flow gap-8">{head}</p>;
  return (
    <>
      <button
        type="button"
        className="quiet-button undo-file flow gap-8"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {head}
        <Chevron open={isOpen} />
      </button>
      {isOpen && <DiffView patch={file.patch} path={file.path} />}
    </>
  );
}

interface ConflictProps {
  file: RevertFile;
  decision: Decision | undefined;
  anyway: string;
  onDecide: (decision: Decision) => void;
}

function Conflict({ file, decision, anyway, onDecide }: ConflictProps) {
  const choice = (value: Decision, label: string) => (
    <label className="inline gap-4">
      <input
        type="radio"
        name={`decision ${file.path}`}
        checked={decision === value}
        onChange={() => onDecide(value)}
      />
      {label}
    </label>
  );
  return (
    <fieldset className="flow gap-16" aria-label={`Decision about ${visible(file.path)}`}>
      {choice("keep", "Keep it as it is")}
      {choice("take_back", anyway)}
    </fieldset>
  );
}
