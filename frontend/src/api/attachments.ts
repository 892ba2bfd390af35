// Uploading and reading the attachments of a session.
import { atPrefix } from "../lib/prefix";
import { ApiError, api, body, csrfToken, errorFrom, offlineError, reportSignedOut } from "./http";
import type { components } from "./schema";

/** A file as the server describes it. Width and height are the pixels of a picture, else 0. */
export type Attachment = components["schemas"]["AttachmentView"];

export const attachmentAddress = (id: string): string =>
  atPrefix(`/api/v1/attachments/${encodeURIComponent(id)}`);

/** Larger files are not sent at all. The server's limit depends on the kind of file. */
export const MAX_FILE_BYTES = 10_485_760;
export const MAX_FILES = 20;

interface Upload {
  sessionId: string;
  file: File;
  /** The uploaded share, from 0 to 1. */
  onProgress: (sent: number) => void;
  signal: AbortSignal;
}

/** Deletes an upload that no prompt uses. */
export const deleteAttachment = (id: string) =>
  body(api.DELETE("/api/v1/attachments/{attachment_id}", { params: { path: { attachment_id: id } } }));

/** Uploads one file with XMLHttpRequest, because fetch does not report progress. */
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
    request.onerror = () => reject(offlineError());
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
