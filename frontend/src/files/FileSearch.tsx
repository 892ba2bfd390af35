import { Problem, Skeleton } from "../ui/Notice";
import { useDebounced } from "../ui/useDebounced";
import { openFile } from "../workbench/sideStore";
import { useFound } from "./queries";

/** Files whose path contains the query, or lines that contain what follows a `#`. */
export function FileSearch({ sessionId, query }: { sessionId: string; query: string }) {
  const settled = useDebounced(query, 200);
  const wanted = settled.startsWith("#") ? { text: settled.slice(1).trim() } : { name: settled };
  const found = useFound(sessionId, wanted);
  if (found.error) return <Problem error={found.error} onRetry={() => found.refetch()} />;
  if (settled === "#") return <p className="empty">Type the text to search for.</p>;
  if (!found.data) return <Skeleton rows={3} label="Searching" />;
  if (found.data.files.length === 0)
    return <p className="empty">Nothing found. Ignored files are not searched.</p>;
  return (
    <ul className="files-found" aria-label="Found files">
      {found.data.files.map((file) => (
        <li key={`${file.path}:${file.line}`}>
          <button
            type="button"
            className="file-row full-width"
            onClick={() => openFile(file.path, file.line)}
          >
            <span className="mono small break-anywhere">
              {file.path}
              {file.line > 0 && <span className="muted">:{file.line}</span>}
            </span>
            {file.text && <span className="mono small muted found-text">{file.text.trim()}</span>}
          </button>
        </li>
      ))}
      {found.data.more && (
        <li className="panel-summary muted">There is more. Search for something narrower.</li>
      )}
    </ul>
  );
}
