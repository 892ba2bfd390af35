// Files of a session: how they are sent, and where they are read.
import { atPrefix } from "../lib/prefix";
import { ApiError, api, body, csrfToken, errorFrom, offline, reportSignedOut } from "./http";
import type { components } from "./schema";

/** A file as the server names it; width and height are a picture's pixels, else 0. */
export type Attachment = components["schemas"]["AttachmentView"];

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

/** Takes back an upload that no prompt has used. */
export const takeBackFile = (id: string) =>
  body(api.DELETE("/api/v1/attachments/{attachment_id}", { params: { path: { attachment_id: id } } }));

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
