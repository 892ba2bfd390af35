import { usePerson } from "../app/person";
import { useSession } from "../app/queries";
import { atPrefix } from "../lib/prefix";
import { visible } from "../lib/visible";
import { useCommits } from "./queries";
import type { ViewOptions } from "./rows";

/** The parameters of a request for the changes that are shown. */
export function scopeOf({ turn, commit }: Pick<ViewOptions, "turn" | "commit">) {
  return { ...(turn ? { turn } : {}), ...(commit ? { commit } : {}) };
}

interface CommitSelectProps {
  sessionId: string;
  /** The id of a commit; empty for none. */
  chosen: string;
  onChoose: (commit: string) => void;
}

/** Chooses one of the commits of the session. */
export function CommitSelect({ sessionId, chosen, onChoose }: CommitSelectProps) {
  const commits = useCommits(sessionId).data?.commits ?? [];
  if (commits.length === 0 && !chosen) return null;
  return (
    <label className="inline gap-6 small review-commit">
      <span className="sr-only">Changes of a commit</span>
      <select className="inline-select" value={chosen} onChange={({ target }) => onChoose(target.value)}>
        <option value="">All commits</option>
        {chosen && !commits.some(({ commit }) => commit === chosen) && (
          <option value={chosen}>{chosen.slice(0, 8)}</option>
        )}
        {commits.map(({ commit, subject }) => (
          <option key={commit} value={commit}>
            {commit.slice(0, 8)} {visible(subject)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Downloads the changes that are shown. Viewers cannot, because a patch contains what the diff masks. */
export function PatchLink({ sessionId, view }: { sessionId: string; view: ViewOptions }) {
  const { role } = usePerson(useSession(sessionId).data?.project_id);
  if (role === null || role === "viewer") return null;
  const query = new URLSearchParams(scopeOf(view)).toString();
  const path = `/api/v1/sessions/${encodeURIComponent(sessionId)}/patch${query ? `?${query}` : ""}`;
  return (
    <a className="link small" href={atPrefix(path)} download title="These changes, for git apply">
      Patch
    </a>
  );
}
