import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { readPullRequest } from "../api/pullRequests";
import { readGitState } from "../api/workingCopy";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { useChanges } from "./Changes";
import { showTab } from "./sideStore";
import "./SessionHeader.css";

/** What comes after the work: review it, commit it, open a pull request. */
export function HeaderActions({ sessionId }: { sessionId: string }) {
  const files = useChanges(sessionId).data?.files.length ?? 0;
  return (
    <>
      {files > 0 && (
        <Link href={`/sessions/${sessionId}/review`} className="button header-action">
          <Icon name="check" size={14} /> <span className="sr-only-narrow">Review</span>
        </Link>
      )}
      <GitAction sessionId={sessionId} />
    </>
  );
}

/** Leads to the next step of the repository: the form of a commit, or the pull request. */
function GitAction({ sessionId }: { sessionId: string }) {
  const version = useLive((state) => state.filesVersion);
  const state = useQuery({
    queryKey: ["git-state", sessionId, version],
    queryFn: () => readGitState(sessionId),
    enabled: version > 0,
    placeholderData: (old) => old,
  }).data;
  const pull = useQuery({
    queryKey: ["pull-request", sessionId],
    queryFn: () => readPullRequest(sessionId),
  }).data?.pull_request;
  if (!state?.repository || (state.head === "" && state.uncommitted.length === 0)) return null;
  const mustCommit = state.can_change && state.uncommitted.length > 0;
  const lead = () => {
    showTab("Diff");
    requestAnimationFrame(() => focusRegion(mustCommit ? "Commits" : "Pull request"));
  };
  return (
    <button type="button" className="button header-action" onClick={lead}>
      <Icon name="up" size={14} />{" "}
      <span className="sr-only-narrow">{mustCommit ? "Commit" : pull ? "Pull request" : "Open a PR"}</span>
    </button>
  );
}

function focusRegion(name: string): void {
  const region = document.querySelector<HTMLElement>(`#side-panel section[aria-label="${name}"]`);
  region?.scrollIntoView({ block: "nearest" });
  region?.focus();
}
