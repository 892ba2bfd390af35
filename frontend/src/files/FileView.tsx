import { lazy, Suspense, useMemo, useState } from "react";
import type { FileView as Content } from "../api/files";
import { fileDownload, writeFile } from "../api/files";
import { hasCode } from "../api/http";
import { formatBytes } from "../lib/format";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useFocusIfLost } from "../ui/useFocusIfLost";
import { openFile } from "../workbench/sideStore";
import { Conflict } from "./Conflict";
import { readDraft, useHasDraft, writeDraft } from "./drafts";
import { EntryActions } from "./EntryActions";
import { readNotebook } from "./notebook";
import { noteSaved, refreshFiles, useFile } from "./queries";

const NotebookView = lazy(() => import("./NotebookView").then((all) => ({ default: all.NotebookView })));
const Editor = lazy(() => import("./Editor"));
const PdfView = lazy(() => import("./PdfView"));

interface FileViewProps {
  sessionId: string;
  path: string;
  line: number;
  mayChange: boolean;
  onClose: () => void;
}

/** One file: its text in an editor, a picture, or a note that it can be downloaded. */
export function FileView({ sessionId, path, line, mayChange, onClose }: FileViewProps) {
  const file = useFile(sessionId, path);
  const back = useFocusIfLost<HTMLButtonElement>();
  return (
    <section className="files vertical" aria-label={path}>
      <header className="files-bar line gap-4 ruled">
        <button
          ref={back}
          type="button"
          className="icon-button"
          aria-label="Back to all files"
          onClick={onClose}
        >
          <Icon name="back" />
        </button>
        <h2 className="mono small grow break-anywhere">{path}</h2>
        {mayChange && (
          <EntryActions
            sessionId={sessionId}
            path={path}
            isFolder={false}
            onMoved={(target) => (target ? openFile(target) : onClose())}
          />
        )}
      </header>
      {file.error && <Problem error={file.error} onRetry={() => file.refetch()} />}
      {!file.data && !file.error && <Skeleton rows={8} label={`Loading ${path}`} />}
      {file.data && (
        <Shown sessionId={sessionId} file={file.data} path={path} line={line} mayChange={mayChange} />
      )}
    </section>
  );
}

type ShownProps = Omit<FileViewProps, "onClose"> & { file: Content };

function Shown({ file, ...props }: ShownProps) {
  switch (file.kind) {
    case "text":
      return props.path.endsWith(".ipynb") ? (
        <NotebookFile file={file} {...props} />
      ) : (
        <Text file={file} {...props} />
      );
    case "media":
      return <Media file={file} />;
    default:
      return (
        <p className="empty">
          {file.kind === "large" ? "This file is too large to show" : "This file is not text"} (
          {formatBytes(file.size)}).{" "}
          {props.mayChange && (
            <a className="link" href={fileDownload(props.sessionId, props.path)} download>
              Download it
            </a>
          )}
        </p>
      );
  }
}

/** A notebook, as its cells or as the text of its file. */
function NotebookFile({ file, ...props }: ShownProps) {
  const notebook = useMemo(() => readNotebook(file.text ?? ""), [file.text]);
  const [isText, setText] = useState(false);
  if (!notebook) return <Text file={file} {...props} />;
  return (
    <>
      <p className="files-note">
        <button type="button" className="button small" onClick={() => setText(!isText)}>
          {isText ? "Show the cells" : "Show the text of the file"}
        </button>
      </p>
      {isText ? (
        <Text file={file} {...props} />
      ) : (
        <Suspense fallback={<Skeleton rows={6} label="Loading the notebook" />}>
          <NotebookView notebook={notebook} />
        </Suspense>
      )}
    </>
  );
}

function Media({ file }: { file: Content }) {
  const address = `data:${file.media_type};base64,${file.base64}`;
  if (file.media_type.startsWith("image/")) {
    return (
      <div className="files-picture">
        <img src={address} alt={file.path} />
        <p className="small muted number">{formatBytes(file.size)}</p>
      </div>
    );
  }
  return (
    <Suspense fallback={<Skeleton rows={8} label={`Loading ${file.path}`} />}>
      <PdfView base64={file.base64 ?? ""} name={file.path} />
    </Suspense>
  );
}

/** A text that can be edited. What is not saved is kept as a draft; a file that has changed meanwhile is a conflict. */
function Text({ sessionId, path, line, mayChange, file }: ShownProps) {
  const hasDraft = useHasDraft(sessionId, path);
  const draft = hasDraft ? readDraft(sessionId, path) : null;
  const [refused, setRefused] = useState(false);
  const { run, busy, error } = useAction();
  const isReadOnly = !mayChange || file.masked;
  const isStale = draft !== null && draft.seen !== file.sha256;
  const edit = (text: string) => {
    writeDraft(
      sessionId,
      path,
      text === file.text && !isStale ? null : { text, seen: draft?.seen ?? file.sha256 },
    );
  };
  const save = async (seen: string) => {
    const text = readDraft(sessionId, path)?.text;
    if (text === undefined) return;
    await run(async () => {
      try {
        const { sha256, size } = await writeFile(sessionId, path, text, seen);
        noteSaved(sessionId, { ...file, text, sha256, size });
        const typed = readDraft(sessionId, path)?.text ?? text; // meanwhile
        writeDraft(sessionId, path, typed === text ? null : { text: typed, seen: sha256 });
        setRefused(false);
      } catch (problem) {
        if (!hasCode(problem, "file_changed")) throw problem;
        setRefused(true);
      }
      await refreshFiles(sessionId);
    });
  };
  return (
    <>
      <p className="files-note line gap-8 small muted" role="status">
        <span className="grow">
          {file.masked
            ? "Secrets are hidden, so this file cannot be changed here."
            : draft
              ? "Changed, not saved"
              : `${formatBytes(file.size)}${isReadOnly ? ", read only" : ""}`}
        </span>
        {draft && (
          <>
            <button type="button" className="button small" onClick={() => writeDraft(sessionId, path, null)}>
              Discard
            </button>
            <button
              type="button"
              className="button primary small"
              disabled={busy || isStale}
              onClick={() => void save(draft.seen)}
            >
              Save
            </button>
          </>
        )}
      </p>
      {error !== null && <Problem error={error} />}
      {draft && (isStale || refused) && (
        <Conflict
          path={path}
          theirs={file.text}
          mine={draft.text}
          busy={busy}
          onKeepMine={() => void save(file.sha256)}
          onTakeTheirs={() => {
            writeDraft(sessionId, path, null);
            setRefused(false);
          }}
        />
      )}
      <Suspense fallback={<Skeleton rows={8} label="Loading the editor" />}>
        <Editor
          path={path}
          text={draft?.text ?? file.text}
          line={line}
          readOnly={isReadOnly}
          onChange={edit}
          onSave={() => {
            if (draft && !isStale) void save(draft.seen);
          }}
        />
      </Suspense>
    </>
  );
}
