import { Link, useLocation } from "wouter";
import { useAltKeys } from "../app/keys";
import { useMayStart } from "../app/person";
import { focusComposer } from "../app/shellStore";
import { Icon } from "../ui/Icon";

/** Leads to the composer of the project, or of Home. Nothing is created before the first prompt is sent. */
export function NewTask({ projectId }: { projectId: string | null }) {
  const [, go] = useLocation();
  const mayStart = useMayStart(projectId ?? undefined);
  const path = projectId && mayStart ? `/projects/${projectId}` : "/";
  useAltKeys({
    n: () => {
      go(path);
      focusComposer();
    },
  });
  return (
    <Link href={path} className="rail-link line medium" onClick={focusComposer}>
      <Icon name="plus" /> New task
      <kbd className="push-end">Alt N</kbd>
    </Link>
  );
}
