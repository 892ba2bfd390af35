import { useState } from "react";
import { uploadIntoWorkspace } from "../api/files";
import { formatCount, plural } from "../lib/format";
import { Problem } from "../ui/Notice";
import type { PackedFile } from "../uploads/tar";
import { joined } from "./paths";
import { refreshFiles } from "./queries";

interface Failed {
  path: string;
  error: unknown;
}

export interface UploadsState {
  done: number;
  total: number;
  failed: readonly Failed[];
  /** Why nothing was uploaded; "" otherwise. */
  refused: string;
  /** Uploads files into a folder, one after the other. Returns whether all of them arrived. */
  begin: (folder: string, files: readonly PackedFile[]) => Promise<boolean>;
}

/** Each of them is a request. */
const MAX_FILES = 1_000;

const tooMany = (count: number): string =>
  `${plural(count, "file")} are too many: at most ${formatCount(MAX_FILES)} can be uploaded at once. Choose a smaller folder, or replace the files of the project in its settings.`;

export function useUploads(sessionId: string): UploadsState {
  const [count, setCount] = useState({ done: 0, total: 0 });
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const [refused, setRefused] = useState("");
  const begin = async (folder: string, files: readonly PackedFile[]) => {
    const problems: Failed[] = [];
    setRefused(files.length > MAX_FILES ? tooMany(files.length) : "");
    if (files.length > MAX_FILES) return false;
    setFailed([]);
    setCount({ done: 0, total: files.length });
    for (const [index, { path: name, file }] of files.entries()) {
      const path = joined(folder, name);
      try {
        await uploadIntoWorkspace(sessionId, path, file);
      } catch (error) {
        problems.push({ path, error });
      }
      setCount({ done: index + 1, total: files.length });
    }
    setFailed(problems);
    await refreshFiles(sessionId);
    return problems.length === 0;
  };
  return { ...count, failed, refused, begin };
}

export function Uploads({ state }: { state: UploadsState }) {
  const { done, total, failed, refused } = state;
  return (
    <>
      {refused && (
        <p className="panel-summary text-failed" role="alert">
          {refused}
        </p>
      )}
      {done < total && (
        <p className="panel-summary muted" role="status">
          Uploading: {done} of {plural(total, "file")} done
        </p>
      )}
      {failed.map(({ path, error }) => (
        <Problem key={path} error={error}>
          <span className="mono small break-anywhere">{path}</span>
        </Problem>
      ))}
    </>
  );
}
