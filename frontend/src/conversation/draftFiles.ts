// Attachments of a draft: uploaded at once and kept with the draft in this browser.
import { createStore, type StoreApi } from "zustand/vanilla";
import { type Attachment, deleteAttachment, MAX_FILE_BYTES, MAX_FILES, uploadFile } from "../api/attachments";
import { ApiError } from "../api/http";
import { formatBytes } from "../lib/format";
import { readStored, writeStored } from "../lib/storage";
import { canBeSmaller, smallerPicture } from "./smallerPicture";

export interface DraftFile {
  key: string;
  name: string;
  size: number;
  /** The uploaded share, from 0 to 1. */
  sent: number;
  attachment: Attachment | null;
  error: unknown;
}

export interface DraftFiles {
  files: readonly DraftFile[];
  /** Why some files were not accepted. */
  refused: string;
}

const keyOf = (sessionId: string) => `draft.files.${sessionId}`;
/** The server deletes a file that no prompt uses after 24 hours. */
const KEPT_MS = 23 * 3_600_000;

interface Stored {
  at: number;
  attachment: Attachment;
}

function readFiles(sessionId: string): DraftFile[] {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(sessionId)) ?? "[]");
    const items = Array.isArray(stored) ? (stored as Stored[]) : [];
    return items
      .filter((item) => typeof item?.attachment?.id === "string" && Date.now() - item.at < KEPT_MS)
      .map((item) => uploaded(item.attachment));
  } catch {
    return [];
  }
}

function writeFiles(sessionId: string, files: readonly DraftFile[]): void {
  const stored = files.flatMap(({ attachment }) => (attachment ? [{ at: Date.now(), attachment }] : []));
  writeStored(keyOf(sessionId), stored.length > 0 ? JSON.stringify(stored) : null);
}

const uploaded = (attachment: Attachment): DraftFile => ({
  key: attachment.id,
  name: attachment.name,
  size: attachment.size,
  sent: 1,
  attachment,
  error: null,
});

const newFile = (key: string, file: File): DraftFile => ({
  key,
  name: file.name,
  size: file.size,
  sent: 0,
  attachment: null,
  error: canBeSmaller(file) ? null : tooLargeError(file),
});

const tooLargeError = (file: File): ApiError | null =>
  file.size <= MAX_FILE_BYTES
    ? null
    : new ApiError(
        413,
        "too_large",
        `${file.name} is larger than ${formatBytes(MAX_FILE_BYTES)}, the limit for attachments.`,
        "Attach a smaller copy, or put the file into the workspace.",
      );

/** Attachments of a session's next prompt. Uploads continue while the person is on another page. */
export class FileDraft {
  readonly store: StoreApi<DraftFiles>;
  private readonly uploads = new Map<string, AbortController>();
  private counter = 0;

  constructor(private readonly sessionId: string) {
    this.store = createStore<DraftFiles>(() => ({ files: readFiles(sessionId), refused: "" }));
  }

  add = (given: readonly File[]): void => {
    const { files } = this.store.getState();
    const taken = given.slice(0, Math.max(0, MAX_FILES - files.length));
    const refused = given.length > taken.length ? `A prompt can have at most ${MAX_FILES} files.` : "";
    const drafts = taken.map((file) => {
      this.counter += 1;
      return newFile(`f${this.counter}`, file);
    });
    this.change([...files, ...drafts], refused);
    for (const [index, draft] of drafts.entries()) {
      if (!draft.error) void this.upload(draft.key, taken[index] as File);
    }
  };

  remove = (key: string): void => {
    const { files } = this.store.getState();
    const attachment = files.find((file) => file.key === key)?.attachment;
    this.uploads.get(key)?.abort();
    // If this fails, the server deletes the file after a day.
    if (attachment) void deleteAttachment(attachment.id).catch(() => {});
    this.change(files.filter((file) => file.key !== key));
  };

  /** Removes all uploaded files from the draft and returns them. */
  take = (): Attachment[] => {
    const { files } = this.store.getState();
    this.change(files.filter(({ attachment }) => !attachment));
    return files.flatMap(({ attachment }) => (attachment ? [attachment] : []));
  };

  giveBack = (attachments: readonly Attachment[]): void =>
    this.change([...attachments.map(uploaded), ...this.store.getState().files]);

  /** Forgets files whose prompt reached the server after all. */
  forget = (attachments: readonly Attachment[]): void => {
    const ids = new Set(attachments.map(({ id }) => id));
    this.change(
      this.store.getState().files.filter(({ attachment }) => !attachment || !ids.has(attachment.id)),
    );
  };

  private change(files: readonly DraftFile[], refused = ""): void {
    writeFiles(this.sessionId, files);
    this.store.setState({ files, refused });
  }

  private update(key: string, news: Partial<DraftFile>): void {
    const { files, refused } = this.store.getState();
    this.change(
      files.map((file) => (file.key === key ? { ...file, ...news } : file)),
      refused,
    );
  }

  private async upload(key: string, file: File): Promise<void> {
    const controller = new AbortController();
    this.uploads.set(key, controller);
    try {
      const fitting = canBeSmaller(file) ? await smallerPicture(file) : file;
      controller.signal.throwIfAborted();
      const refusal = tooLargeError(fitting);
      if (refusal) throw refusal;
      const attachment = await uploadFile({
        sessionId: this.sessionId,
        file: fitting,
        onProgress: (sent) => this.update(key, { sent }),
        signal: controller.signal,
      });
      this.update(key, { attachment, sent: 1, name: attachment.name, size: attachment.size });
    } catch (error) {
      this.update(key, { error });
    } finally {
      this.uploads.delete(key);
    }
  }
}

const drafts = new Map<string, FileDraft>();

export function fileDraftOf(sessionId: string): FileDraft {
  const known = drafts.get(sessionId) ?? new FileDraft(sessionId);
  drafts.set(sessionId, known);
  return known;
}

/** Whether all files are uploaded. */
export const areReady = (files: readonly DraftFile[]): boolean =>
  files.every((file) => file.attachment !== null);
