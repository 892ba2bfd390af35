// Files of a session: how they are sent, and where they are read.
import { atPrefix } from "../lib/prefix";
import { ApiError, csrfToken, errorFrom, offline, reportSignedOut } from "./http";

/** A file as the server names it. */
export interface Attachment {
  id: string;
  name: string;
  media_type: string;
  size: number;
  /** Pixels of a picture. */
  width?: number;
  height?: number;
}

export const attachmentAddress = (id: string): string =>
  atPrefix(`/api/v1/attachments/${encodeURIComponent(id)}`);

/** More than the largest kind may have is not even sent. The server decides by what is in the file. */
export const LARGEST_FILE = 10_485_760;
export const MOST_FILES = 20;

interface Upload {
  sessionId: string;
  file: File;
  /** From 0 to 1. */
  onProgress: (sent: number) => void;
  signal: AbortSignal;
}

/** Sends one file. Not by fetch, which does not tell how far it is. */
export function uploadFile({ sessionId, file, onProgress, signal }: Upload): Promise<Attachment> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", atPrefix(`/api/v1/sessions/${encodeURIComponent(sessionId)}/attachments`));
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", csrfToken());
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const body = parsed(request.responseText);
      if (request.status === 201) return resolve(body as Attachment);
      if (request.status === 401) reportSignedOut();
      reject(errorFrom(request.status, body));
    };
    request.onerror = () => reject(offline());
    request.onabort = () => reject(new ApiError(0, "cancelled", "The upload was cancelled."));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    const form = new FormData();
    form.append("file", file);
    request.send(form);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
