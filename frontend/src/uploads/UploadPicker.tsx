import { type CSSProperties, useEffect, useRef, useState } from "react";
import { discardUpload, type Upload } from "../api/uploads";
import { formatBytes, formatNumber, plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Problem } from "../ui/Notice";
import { ProblemBox } from "../ui/ProblemBox";
import { useDrop } from "../ui/useDrop";
import { forgetUpload, type SendProgress, send } from "./send";
import { sourceOfDrop, sourceOfFile, sourceOfFolder, type UploadSource } from "./source";
import "./uploads.css";

interface UploadPickerProps {
  teamId: string;
  /** What was dropped before the picker was shown. */
  dropped?: UploadSource | null;
  /** Gets the upload when it is ready, and null when it is replaced or removed. */
  onUpload: (upload: Upload | null, name: string) => void;
}

/** Lets a person choose or drop a file or a folder, sends it, and shows how far it is. */
export function UploadPicker({ teamId, dropped = null, onUpload }: UploadPickerProps) {
  const [source, setSource] = useState<UploadSource | null>(null);
  const [progress, setProgress] = useState<SendProgress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (chosen: UploadSource) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setSource(chosen);
    setProgress(null);
    setError(null);
    onUpload(null, chosen.name);
    const onProgress = (news: SendProgress) => running.current === controller && setProgress(news);
    try {
      const upload = await send({ teamId, source: chosen, onProgress, signal: controller.signal });
      if (running.current !== controller) return;
      setProgress({ upload, sent: upload.size, isWaiting: false });
      if (upload.state === "ready") onUpload(upload, chosen.name);
    } catch (problem) {
      if (!controller.signal.aborted) setError(problem);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: files that are dropped are sent once
  useEffect(() => {
    if (dropped) void start(dropped);
  }, [dropped]);
  const cancel = () => {
    running.current?.abort();
    running.current = null;
    if (progress?.upload) void discardUpload(progress.upload.id).catch(() => undefined);
    forgetUpload(teamId);
    setSource(null);
    setProgress(null);
    setError(null);
    onUpload(null, "");
  };
  const isOver = useDrop((dropped) => {
    void sourceOfDrop(dropped).then((found) => found && start(found));
  });
  const upload = progress?.upload;
  const isOpen = upload?.state === "receiving" || upload?.state === "checking";
  return (
    <div className="upload-picker stack gap-12 boxed" data-over={isOver || undefined}>
      {source === null ? (
        <Choose onSource={(chosen) => void start(chosen)} isOver={isOver} />
      ) : (
        <>
          <div className="line between gap-12">
            <span className="ellipsis medium">{visibleLine(source.name)}</span>
            <button type="button" className="button" onClick={cancel}>
              {error === null && isOpen ? "Cancel upload" : "Remove"}
            </button>
          </div>
          {error === null && <Progress source={source} progress={progress} />}
          {source.leftOut && <p className="small muted">{source.leftOut}</p>}
        </>
      )}
      {upload?.state === "refused" && (
        <ProblemBox
          role="alert"
          message={visibleLine(upload.problem)}
          hint="Remove it, and choose another file."
        />
      )}
      {error !== null && <Problem error={error} onRetry={source ? () => start(source) : undefined} />}
    </div>
  );
}

function Choose({ onSource, isOver }: { onSource: (source: UploadSource) => void; isOver: boolean }) {
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return (
    <>
      <p className="muted">
        {isOver
          ? "Drop it to upload it."
          : "A zip or tar file, a git bundle, or a folder. You can also drop it here."}
      </p>
      <div className="flow">
        <button type="button" className="button" onClick={() => file.current?.click()}>
          Choose file
        </button>
        <button type="button" className="button" onClick={() => folder.current?.click()}>
          Choose folder
        </button>
      </div>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="File to upload"
        data-testid="upload-file"
        onChange={({ target }) => target.files?.[0] && onSource(sourceOfFile(target.files[0]))}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder to upload"
        data-testid="upload-folder"
        {...{ webkitdirectory: "" }}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])].map((each) => ({
            path: each.webkitRelativePath,
            file: each,
          }));
          if (files.length > 0) onSource(sourceOfFolder(files));
        }}
      />
    </>
  );
}

function Progress({ source, progress }: { source: UploadSource; progress: SendProgress | null }) {
  const total = source.content.size;
  const sent = progress?.sent ?? 0;
  const state = progress?.upload?.state;
  if (state === "refused") return null;
  const share = total > 0 ? Math.min(1, sent / total) : 0;
  return (
    <div className="stack gap-4">
      <span
        className="bar upload-bar"
        role="progressbar"
        aria-label="Upload"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        style={{ "--share": `${share * 100}%` } as CSSProperties}
      >
        <span />
      </span>
      <span className="small muted" role="status">
        {progress?.isWaiting ? WAITING : stateText(progress?.upload ?? null, sent, total)}
      </span>
    </div>
  );
}

const WAITING = "The site does not answer. The upload continues as soon as it does.";

function stateText(upload: Upload | null, sent: number, total: number): string {
  if (upload?.state === "checking") return "Sent. The site unpacks and checks it…";
  if (upload?.state !== "ready" || !upload.facts) return `${formatBytes(sent)} of ${formatBytes(total)}`;
  const { files, bytes, left_out, branch } = upload.facts;
  const without = left_out > 0 ? ` ${plural(left_out, "entry", "entries")} could not be used.` : "";
  return `Ready: ${formatNumber(files)} ${files === 1 ? "file" : "files"}, ${formatBytes(bytes)}, branch ${visibleLine(branch)}.${without}`;
}
