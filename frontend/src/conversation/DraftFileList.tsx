import { useStore } from "zustand";
import { attachmentAddress } from "../api/attachments";
import { ApiError } from "../api/http";
import { formatBytes } from "../lib/format";
import { isPicture } from "../tools/facts";
import { Icon } from "../ui/Icon";
import type { DraftFile, FileDraft } from "./draftFiles";
import "./DraftFileList.css";

/** The attachments of the prompt, with upload progress and errors. */
export function DraftFileList({ draft }: { draft: FileDraft }) {
  const { files, refused } = useStore(draft.store);
  if (files.length === 0 && !refused) return null;
  return (
    <div className="draft-files">
      <ul className="flow" aria-label="Attached files">
        {files.map((file) => (
          <DraftFileRow key={file.key} file={file} onRemove={() => draft.remove(file.key)} />
        ))}
      </ul>
      {refused && (
        <p className="draft-refused small muted" role="status">
          {refused}
        </p>
      )}
    </div>
  );
}

function DraftFileRow({ file, onRemove }: { file: DraftFile; onRemove: () => void }) {
  const failed = file.error !== null;
  return (
    <li className="draft-file boxed line" data-testid="draft-file" data-state={stateOf(file)}>
      <Thumbnail file={file} />
      <span className="draft-file-words stack gap-0 small">
        <span className="draft-file-name ellipsis medium" title={file.name}>
          {file.name}
        </span>
        <span className={failed ? "break-anywhere" : "muted number"} role={failed ? "alert" : undefined}>
          {fileStatus(file)}
        </span>
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label={`Remove ${file.name}`}
        title="Remove"
        onClick={onRemove}
      >
        <Icon name="close" size={14} />
      </button>
    </li>
  );
}

const stateOf = (file: DraftFile): "failed" | "ready" | "sending" =>
  file.error !== null ? "failed" : file.attachment ? "ready" : "sending";

function Thumbnail({ file: { attachment, error } }: { file: DraftFile }) {
  if (attachment && isPicture(attachment)) {
    return <img src={attachmentAddress(attachment.id)} alt="" className="draft-thumbnail no-shrink muted" />;
  }
  return (
    <span className="draft-thumbnail no-shrink muted">
      <Icon name={error === null ? "file" : "warning"} />
    </span>
  );
}

function fileStatus({ error, attachment, sent, size }: DraftFile): string {
  if (error instanceof ApiError) return [error.message, error.hint].filter(Boolean).join(" ");
  if (error !== null) return "The upload failed.";
  return attachment ? formatBytes(size) : `${Math.floor(sent * 100)} % of ${formatBytes(size)}`;
}
