import "./repositories.css";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { readProjectRepository } from "../api/repositories";
import { visibleLine } from "../lib/visible";
import { repositoryKey } from "./kinds";
import { RefField } from "./RefField";

interface StartFromProps {
  projectId: string;
  busy: boolean;
  onStart: (ref: string) => void;
}

/** Starts a session in a new workspace from a branch of the project's repository. Shown if there is one. */
export function StartFrom({ projectId, busy, onStart }: StartFromProps) {
  const found = useQuery({
    queryKey: repositoryKey(projectId),
    queryFn: () => readProjectRepository(projectId),
  });
  const [open, setOpen] = useState(false);
  const [ref, setRef] = useState("");
  const repository = found.data?.repository;
  if (!repository) return null;
  const normal = repository.default_branch;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onStart(ref.trim() || normal);
  };
  return (
    <section className="stack items-start gap-12" aria-label="Repository">
      <p className="muted break-anywhere">
        Repository {visibleLine(repository.full_name)}
        {normal && `, branch ${visibleLine(normal)}`}
      </p>
      {!open && (
        <button type="button" className="button" onClick={() => setOpen(true)}>
          Session from another branch
        </button>
      )}
      {open && (
        <form className="stack gap-12 start-from" onSubmit={submit} aria-label="Session from another branch">
          <RefField
            label="Branch, tag or commit"
            source={{ project: projectId }}
            value={ref}
            onText={setRef}
          />
          <div className="flow">
            <button type="submit" className="button primary" disabled={busy || !(ref.trim() || normal)}>
              Start in a new workspace
            </button>
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </form>
      )}
    </section>
  );
}
