import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readProjectFiles, setProjectFiles, type Upload } from "../api/uploads";
import { queryClient } from "../app/queries";
import { formatBytes, formatNumber } from "../lib/format";
import { visibleLine } from "../lib/visible";
import type { ProjectTabProps } from "../project/tabProps";
import { ConfirmButton } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { UploadPicker } from "./UploadPicker";

/** The uploaded files that workspaces of a project without a connected repository start with. */
export function UploadedFiles({ project, mayChange }: ProjectTabProps) {
  const key = ["projects", project.id, "files"];
  const found = useQuery({ queryKey: key, queryFn: () => readProjectFiles(project.id) });
  const [choosing, setChoosing] = useState(false);
  const { run, busy, error } = useAction();
  if (found.error && !found.data) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Skeleton rows={2} label="Loading the uploaded files" />;
  const { upload } = found.data;
  const use = (chosen: Upload | null) =>
    void run(async () => {
      queryClient.setQueryData(key, await setProjectFiles(project.id, chosen?.id ?? null));
      setChoosing(false);
    });
  const mayReplace = mayChange && !project.remove_at;
  return (
    <section className="settings-section stack gap-12 ruled-top" aria-label="Uploaded files">
      <h2>Uploaded files</h2>
      <p className="muted break-anywhere">{upload ? textOf(upload) : "Workspaces start empty."}</p>
      {mayReplace && choosing && (
        <Replace
          teamId={project.team_id}
          busy={busy}
          hasFiles={!!upload}
          onUse={use}
          onCancel={() => setChoosing(false)}
        />
      )}
      {mayReplace && !choosing && (
        <div className="flow">
          <button type="button" className="button" onClick={() => setChoosing(true)}>
            {upload ? "Replace files" : "Upload files"}
          </button>
          {upload && (
            <ConfirmButton
              verb="Remove"
              name={upload.name}
              lost="The uploaded files. New workspaces start empty; those that exist keep their files."
              busy={busy}
              onConfirm={() => use(null)}
            />
          )}
        </div>
      )}
      {error !== null && <FieldsProblem error={error} />}
    </section>
  );
}

function textOf({ name, facts }: Upload): string {
  const content = facts && `: ${formatNumber(facts.files)} files, ${formatBytes(facts.bytes)}`;
  return `New workspaces start with ${visibleLine(name)}${content ?? ""}.`;
}

interface ReplaceProps {
  teamId: string;
  busy: boolean;
  hasFiles: boolean;
  onUse: (upload: Upload | null) => void;
  onCancel: () => void;
}

function Replace({ teamId, busy, hasFiles, onUse, onCancel }: ReplaceProps) {
  const [ready, setReady] = useState<Upload | null>(null);
  return (
    <div className="settings-form stack gap-12">
      <UploadPicker teamId={teamId} onUpload={setReady} />
      {hasFiles && <p className="muted small">The former upload is deleted. Workspaces keep their files.</p>}
      <div className="flow">
        <button
          type="button"
          className="button primary"
          disabled={busy || !ready}
          onClick={() => onUse(ready)}
        >
          Use these files
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}
