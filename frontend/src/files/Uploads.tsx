import { useState } from "react";
import { uploadIntoWorkspace } from "../api/files";
import { plural } from "../lib/format";
import { Problem } from "../ui/Notice";
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
  /** Uploads files into a folder, one after the other. Returns whether all of them arrived. */
  begin: (folder: string, files: readonly File[]) => Promise<boolean>;
}

export function useUploads(sessionId: string): UploadsState {
  const [count, setCount] = useState({ done: 0, total: 0 });
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const begin = async (folder: string, files: readonly File[]) => {
    const problems: Failed[] = [];
    setFailed([]);
    setCount({ done: 0, total: files.length });
    for (const [index, file] of files.entries()) {
      const path = joined(folder, file.webkitRelativePath || file.name);
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
  return { ...count, failed, begin };
}

export function Uploads({ state }: { state: UploadsState }) {
  const { done, total, failed } = state;
  return (
    <>
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
