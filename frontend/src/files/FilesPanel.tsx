import { useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { usePerson } from "../app/person";
import { useSession } from "../app/queries";
import { isFocusLost } from "../ui/useFocusIfLost";
import { sideStore } from "../workbench/sideStore";
import { FileSearch } from "./FileSearch";
import { FileTree } from "./FileTree";
import { FileView } from "./FileView";
import { NewEntry } from "./NewEntry";
import "./files.css";

/** The files of a session's workspace: a tree, a search, and one file at a time. */
export function FilesPanel({ sessionId }: { sessionId: string }) {
  const file = useStore(sideStore, (state) => state.file);
  const { role } = usePerson(useSession(sessionId).data?.project_id);
  const mayChange = role !== null && role !== "viewer";
  const [query, setQuery] = useState("");
  const panel = useRef<HTMLDivElement>(null);
  const closed = useRef<string | null>(null);
  useEffect(() => {
    if (!file && closed.current && isFocusLost()) focusEntry(panel.current, closed.current);
    closed.current = file?.path ?? null;
  }, [file]);
  if (file) {
    return (
      <FileView
        key={file.path}
        sessionId={sessionId}
        path={file.path}
        line={file.line}
        mayChange={mayChange}
        onClose={() => sideStore.setState({ file: null })}
      />
    );
  }
  return (
    <div ref={panel} className="files vertical">
      <div className="files-bar line gap-8 ruled">
        <input
          type="search"
          className="field grow"
          aria-label="Search files by name, or their text after #"
          placeholder="Search by name, or #text"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {mayChange && <NewEntry sessionId={sessionId} folder="." />}
      </div>
      {query.trim() ? (
        <FileSearch sessionId={sessionId} query={query.trim()} />
      ) : (
        <FileTree sessionId={sessionId} mayChange={mayChange} />
      )}
    </div>
  );
}

/** Moves the focus to the entry of a file that was closed, or to the search if its folder is not open. */
function focusEntry(panel: HTMLElement | null, path: string): void {
  const entry = panel?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
  (entry ?? panel?.querySelector<HTMLElement>("input[type=search]"))?.focus();
}
