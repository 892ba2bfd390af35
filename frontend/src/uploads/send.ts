// Sends a file in parts, continues after interruptions, and waits until the site has checked it.
import { ApiError, hasCode } from "../api/http";
import { beginUpload, readUpload, sendPart, type Upload } from "../api/uploads";
import { readStored, writeStored } from "../lib/storage";
import type { UploadSource } from "./source";

export interface SendProgress {
  upload: Upload | null;
  /** Bytes that were sent. */
  sent: number;
  /** The site does not answer; sending continues when it does. */
  isWaiting: boolean;
}

interface Sending {
  teamId: string;
  source: UploadSource;
  onProgress: (progress: SendProgress) => void;
  signal: AbortSignal;
}

const POLL_MS = 700;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
const GIVE_UP_MS = 600_000;

const keyOf = (teamId: string): string => `upload.${teamId}`;

/** The id of the upload that was begun with the same content before, in this browser. */
function begunBefore(teamId: string, source: UploadSource): string | null {
  const [id, fingerprint] = readStored(keyOf(teamId))?.split("\n") ?? [];
  return id && fingerprint === source.fingerprint ? id : null;
}

export const forgetUpload = (teamId: string): void => writeStored(keyOf(teamId), null);

/** Sends the source and returns the upload when it is ready or refused. */
export async function send({ teamId, source, onProgress, signal }: Sending): Promise<Upload> {
  let upload = await begin(teamId, source);
  const report = (sent: number, isWaiting = false) => onProgress({ upload, sent, isWaiting });
  report(upload.received);
  while (upload.state === "receiving") {
    const { id, received, part_bytes } = upload;
    const content = source.content.slice(received, received + part_bytes);
    const attempt = () =>
      sendPart({ id, offset: received, content, onProgress: (sent) => report(received + sent), signal });
    upload = await patiently(attempt, () => report(received, true), signal, id);
    report(upload.received);
  }
  while (upload.state === "checking") {
    await pause(POLL_MS, signal);
    const { id, size } = upload;
    upload = await patiently(
      () => readUpload(id),
      () => report(size, true),
      signal,
      id,
    );
    report(size);
  }
  forgetUpload(teamId);
  return upload;
}

async function begin(teamId: string, source: UploadSource): Promise<Upload> {
  const known = begunBefore(teamId, source);
  if (known) {
    try {
      const upload = await readUpload(known);
      if (upload.state !== "refused" && !upload.project_id) return upload;
    } catch (error) {
      if (!hasCode(error, "not_found")) throw error;
    }
  }
  const upload = await beginUpload(teamId, source.name, source.content.size);
  writeStored(keyOf(teamId), `${upload.id}\n${source.fingerprint}`);
  return upload;
}

/** Repeats an attempt while the site does not answer, for ten minutes. */
async function patiently(
  attempt: () => Promise<Upload>,
  onWait: () => void,
  signal: AbortSignal,
  id: string,
): Promise<Upload> {
  const end = Date.now() + GIVE_UP_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) throw error;
      if (hasCode(error, "upload_offset")) return readUpload(id);
      if (!isTemporary(error) || Date.now() > end) throw error;
    }
    onWait();
    await pause(wait, signal);
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.isOffline || error.status === 429 || error.status >= 500);

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(new ApiError(0, "cancelled", "The upload was cancelled."));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", cancel);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", cancel, { once: true });
  });
}
