import { type KeyboardEvent, useRef, useState } from "react";
import type { FileEntry } from "../api/files";
import { hasCode } from "../api/http";
import { formatBytes } from "../lib/format";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useDrop } from "../ui/useDrop";
import { filesInDrop } from "../uploads/source";
import { openFile } from "../workbench/sideStore";
import { useHasDraft } from "./drafts";
import { EntryActions } from "./EntryActions";
import { joined } from "./paths";
import { useFolder } from "./queries";
import { moveInTree } from "./treeKeys";
import { Uploads, useUploads } from "./Uploads";

interface TreeProps {
  sessionId: string;
  mayChange: boolean;
}

/** The workspace's files. A folder is loaded when it is opened. Files that are dropped are uploaded. */
export function FileTree({ sessionId, mayChange }: TreeProps) {
  const tree = useRef<HTMLUListElement>(null);
  const uploads = useUploads(sessionId);
  const isOver = useDrop((dropped) => {
    if (mayChange) void filesInDrop(dropped).then((files) => uploads.begin(".", files));
  });
  const onKeyDown = (event: KeyboardEvent) => moveInTree(event, tree.current);
  return (
    <>
      <Uploads state={uploads} />
      {isOver && mayChange && (
        <p className="files-drop">Drop files and folders here to put them into the workspace.</p>
      )}
      <ul ref={tree} className="files-tree grow" aria-label="Files" onKeyDown={onKeyDown}>
        <Entries sessionId={sessionId} mayChange={mayChange} path="." depth={0} />
      </ul>
    </>
  );
}

function Entries({ sessionId, mayChange, path, depth }: TreeProps & { path: string; depth: number }) {
  const folder = useFolder(sessionId, path);
  if (hasCode(folder.error, "workspace_not_ready")) {
    return (
      <li className="empty">This workspace has no files yet. They appear here as soon as it has started.</li>
    );
  }
  if (folder.error && !folder.data) {
    return (
      <li>
        <Problem error={folder.error} onRetry={() => folder.refetch()} />
      </li>
    );
  }
  if (!folder.data) {
    return (
      <li>
        <Skeleton rows={depth === 0 ? 6 : 1} label="Loading files" />
      </li>
    );
  }
  const { entries, more, note } = folder.data;
  const sorted = [...entries].sort(byKindAndName);
  return (
    <>
      {sorted.length === 0 && (
        <li className="file-note muted small" style={indent(depth)}>
          Empty folder
        </li>
      )}
      {sorted.map((entry) => (
        <Entry
          key={entry.name}
          sessionId={sessionId}
          mayChange={mayChange}
          entry={entry}
          path={joined(path, entry.name)}
          depth={depth}
        />
      ))}
      {(more || note) && (
        <li className="file-note muted small" style={indent(depth)}>
          {more && "This folder has more entries than are listed. Search for a file by its name. "}
          {note}
        </li>
      )}
    </>
  );
}

interface EntryProps extends TreeProps {
  entry: FileEntry;
  path: string;
  depth: number;
}

function Entry({ sessionId, mayChange, entry, path, depth }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  const hasDraft = useHasDraft(sessionId, path);
  const isFolder = entry.kind === "directory";
  const open = () => {
    if (isFolder) setOpen(!isOpen);
    else openFile(path);
  };
  return (
    <li>
      <div className="file-line line gap-0">
        <button
          type="button"
          className="file-row grow line gap-4"
          style={indent(depth)}
          aria-expanded={isFolder ? isOpen : undefined}
          data-depth={depth}
          disabled={!entry.readable_name}
          title={
            entry.readable_name ? path : "The name has bytes that are not text. Use a command to rename it."
          }
          data-path={path}
          onClick={open}
        >
          {isFolder ? <Chevron open={isOpen} /> : <Icon name="file" size={14} />}
          <span className="mono small file-name">{entry.name}</span>
          {entry.kind === "symlink" && <span className="small muted">link</span>}
          {hasDraft && <span className="small unsaved">not saved</span>}
        </button>
        <span className="small muted number file-size">
          {entry.kind === "file" && formatBytes(entry.size)}
        </span>
        {mayChange && entry.readable_name && (
          <EntryActions sessionId={sessionId} path={path} isFolder={isFolder} />
        )}
      </div>
      {isOpen && (
        <ul aria-label={entry.name}>
          <Entries sessionId={sessionId} mayChange={mayChange} path={path} depth={depth + 1} />
        </ul>
      )}
    </li>
  );
}

const indent = (depth: number) => ({ paddingInlineStart: `${8 + depth * 14}px` });

const byKindAndName = (one: FileEntry, other: FileEntry): number =>
  Number(other.kind === "directory") - Number(one.kind === "directory") || (one.name < other.name ? -1 : 1);
