import { usePerson } from "../app/person";
import { useSession } from "../app/queries";
import { atPrefix } from "../lib/prefix";

const DOWNLOADS = [
  { what: "patch", label: "Patch", hint: "The changes, for git apply" },
  {
    what: "bundle",
    label: "Branch (bundle)",
    hint: "The commits and all uncommitted changes, for git fetch",
  },
  { what: "archive", label: "All files", hint: "The workspace and its home directory, as .tar.gz" },
] as const;

/** Links to download what the session changed. Viewers cannot, because downloads contain what the diff masks. */
export function Downloads({ sessionId }: { sessionId: string }) {
  const { role } = usePerson(useSession(sessionId).data?.project_id);
  if (role === null || role === "viewer") return null;
  return (
    <p className="panel-summary flow gap-12 gap-y-4 muted">
      <span>Download:</span>
      {DOWNLOADS.map(({ what, label, hint }) => (
        <a
          key={what}
          className="link"
          href={atPrefix(`/api/v1/sessions/${encodeURIComponent(sessionId)}/${what}`)}
          download
          title={hint}
        >
          {label}
        </a>
      ))}
    </p>
  );
}
