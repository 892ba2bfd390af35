// Views of file changes: a diff or the files of a patch, with formatters and diagnostics.
import { useState } from "react";
import type { ToolCall } from "../api/types";
import { Chevron } from "../ui/Chevron";
import { DiffView } from "../ui/DiffView";
import { Counts } from "../workbench/Changes";
import { Diagnostics } from "./Diagnostics";
import { type Change, type ChangedFile, diagnosticsOf, patchFilesOf, textIn } from "./facts";
import { PathLabel } from "./PathLabel";
import { PlainView } from "./PlainView";
import "./tools.css";
import "./views.css";

export function FileChange({ call }: { call: ToolCall }) {
  const diff = textIn(call.metadata, "diff");
  if (!diff) return <PlainView call={call} />;
  return (
    <>
      <DiffView patch={diff} path={`of call ${call.id.slice(-6)}`} />
      <ChangeNotes call={call} />
    </>
  );
}

const MAX_OPEN_FILES = 3;

export function PatchedFiles({ call }: { call: ToolCall }) {
  const files = patchFilesOf(call.metadata);
  if (files.length === 0) return <FileChange call={call} />;
  return (
    <>
      <div className="patch-files">
        {files.map((file) => (
          <PatchedFile key={file.path} file={file} startOpen={files.length <= MAX_OPEN_FILES} />
        ))}
      </div>
      <ChangeNotes call={call} />
    </>
  );
}

const CHANGE_LABELS: Record<Change, string> = {
  add: "Added",
  update: "",
  delete: "Deleted",
  move: "Moved",
};

export function PatchedFile({ file, startOpen }: { file: ChangedFile; startOpen: boolean }) {
  const [isOpen, setOpen] = useState(startOpen);
  return (
    <section className="changed-file ruled-top" data-testid="patched-file">
      <button
        type="button"
        className="changed-head line full-width"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron open={isOpen} />
        <span className="changed-path mono small medium grow break-anywhere">
          <PathLabel path={file.path} />
          {file.movedTo && (
            <>
              {" → "}
              <PathLabel path={file.movedTo} />
            </>
          )}
        </span>
        {CHANGE_LABELS[file.change] && <span className="small muted">{CHANGE_LABELS[file.change]}</span>}
        <Counts additions={file.additions} deletions={file.deletions} />
      </button>
      {isOpen && <DiffView patch={file.diff} path={file.path} />}
    </section>
  );
}

function ChangeNotes({ call }: { call: ToolCall }) {
  const formatter = textIn(call.metadata, "formatter");
  return (
    <>
      {formatter && (
        <p className="call-note small muted break-anywhere pre-wrap">Formatted by {formatter}.</p>
      )}
      <Diagnostics found={diagnosticsOf(call)} />
    </>
  );
}
