// The files that a person chose to upload: one file, or a folder, which is packed into a tar file.
import { plural } from "../lib/format";
import { type PackedFile, tarOf } from "./tar";

export interface UploadSource {
  name: string;
  content: Blob;
  /** Changes with the content, so that an interrupted upload is continued with the same content only. */
  fingerprint: string;
  /** What of a folder is not sent, in a sentence. */
  leftOut: string;
}

/** Folders that are not sent: set-up installs or builds them again. */
const LEFT_OUT = new Set(["node_modules", ".venv", "__pycache__"]);

export const sourceOfFile = (file: File): UploadSource => ({
  name: file.name,
  content: file,
  fingerprint: `${file.name} ${file.size} ${file.lastModified}`,
  leftOut: "",
});

/** Returns the source of a folder's files, whose paths begin with the folder's name. */
export function sourceOfFolder(files: readonly PackedFile[]): UploadSource {
  const kept = files.filter(({ path }) => !isLeftOut(path));
  const [name = "folder"] = files[0]?.path.split("/") ?? [];
  const content = tarOf(kept);
  const newest = kept.reduce((time, { file }) => Math.max(time, file.lastModified), 0);
  const without = files.length - kept.length;
  return {
    name,
    content,
    fingerprint: `${name} ${content.size} ${newest}`,
    leftOut: without > 0 ? `${plural(without, "file")} in ${[...LEFT_OUT].join(", ")} will not be sent.` : "",
  };
}

const isLeftOut = (path: string): boolean => path.split("/").some((part) => LEFT_OUT.has(part));

/** Returns all files that were dropped, with those below folders. Call it while the event is handled. */
export async function filesInDrop(transfer: DataTransfer): Promise<PackedFile[]> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  if (!entries.some((entry) => entry.isDirectory)) {
    return [...transfer.files].map((file) => ({ path: file.name, file }));
  }
  return (await Promise.all(entries.map((entry) => filesBelow(entry)))).flat();
}

/** Returns the files that were chosen, with their paths below the folder that was. */
export const filesChosen = (files: readonly File[]): PackedFile[] =>
  files
    .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path }) => !isLeftOut(path));

/** Returns what was dropped: one file, or everything below folders. Call it while the event is handled. */
export function sourceOfDrop(transfer: DataTransfer): Promise<UploadSource | null> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  const [file] = transfer.files;
  const [single] = entries;
  if (entries.length <= 1 && !single?.isDirectory) return Promise.resolve(file ? sourceOfFile(file) : null);
  return Promise.all(entries.map((entry) => filesBelow(entry))).then((found) => {
    const files = found.flat();
    const isOne = entries.length === 1;
    return sourceOfFolder(isOne ? files : files.map(({ path, file }) => ({ path: `files/${path}`, file })));
  });
}

async function filesBelow(entry: FileSystemEntry): Promise<PackedFile[]> {
  if (LEFT_OUT.has(entry.name)) return [];
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: PackedFile[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return found;
    for (const child of batch) found.push(...(await filesBelow(child)));
  }
}
