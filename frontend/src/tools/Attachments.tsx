import { useState } from "react";
import { type Attachment, attachmentAddress } from "../api/attachments";
import { formatBytes } from "../lib/format";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { isPicture } from "./facts";
import "./Attachments.css";

/** Shows pictures and offers other files for download. */
export function Attachments({ files, highest = 240 }: { files: readonly Attachment[]; highest?: number }) {
  return (
    <ul className="attachments flow gap-12 gap-y-8" aria-label="Files">
      {files.map((file) => (
        <li key={file.id} data-testid="attachment">
          {isPicture(file) && <Picture file={file} highest={highest} />}
          <FileLink file={file} />
        </li>
      ))}
    </ul>
  );
}

/** A thumbnail that opens in a dialog, as large as the window allows. */
function Picture({ file, highest }: { file: Attachment; highest: number }) {
  const [isLarge, setLarge] = useState(false);
  const [isGone, setGone] = useState(false);
  const source = attachmentAddress(file.id);
  if (isGone) return <p className="small muted">This picture is no longer available.</p>;
  return (
    <>
      <button
        type="button"
        className="picture boxed block"
        aria-label={`Show ${file.name} larger`}
        onClick={() => setLarge(true)}
      >
        <img src={source} alt="" decoding="async" {...sizeOf(file, highest)} onError={() => setGone(true)} />
      </button>
      <Dialog open={isLarge} onClose={() => setLarge(false)} title={file.name} className="picture-dialog">
        <img src={source} alt={file.name} />
      </Dialog>
    </>
  );
}

/** Size of a picture, known before it is loaded, so that the layout does not shift. */
function sizeOf({ width, height }: Attachment, highest: number) {
  if (width <= 0 || height <= 0) return {};
  const scale = Math.min(1, highest / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

const KIND_LABELS: Readonly<Record<string, string>> = {
  "application/pdf": "PDF",
  "text/plain": "Text",
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/gif": "GIF",
  "image/webp": "WebP",
};

export const kindOf = ({ media_type: type }: Pick<Attachment, "media_type">): string =>
  KIND_LABELS[type] ?? (type.startsWith("text/") ? "Text" : type || "File");

function FileLink({ file }: { file: Attachment }) {
  return (
    <a className="file-link inline small" href={attachmentAddress(file.id)} download={file.name}>
      <Icon name={isPicture(file) ? "image" : "file"} size={14} />
      <span className="file-link-name underlined ellipsis">{file.name}</span>
      <span className="muted number">
        {kindOf(file)}, {formatBytes(file.size)}
      </span>
    </a>
  );
}
