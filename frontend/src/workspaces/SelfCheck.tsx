import { useId, useState } from "react";
import type { CheckItem, WorkspaceDetail } from "../api/workspaceTypes";
import { formatAgo, plural } from "../lib/format";
import { visible } from "../lib/visible";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { actionOf } from "./actions";
import type { WorkspaceActions } from "./useWorkspaceActions";
import "./WorkspacePage.css";

const CHECK = actionOf("check");

/** Results of the container's self-check, collapsed if all checks passed. */
export function SelfCheck({ workspace, acts }: { workspace: WorkspaceDetail; acts: WorkspaceActions }) {
  const check = workspace.self_check;
  return (
    <section className="workspace-part" aria-label="Self-check" data-testid="self-check">
      <header className="flow align-baseline between gap-16 gap-y-0 ruled">
        <h2>Self-check</h2>
        {check && (
          <span className="muted">
            <time dateTime={check.at}>{formatAgo(check.at)}</time>
            {check.runtime && ` · ${check.runtime}`}
            {check.kernel && ` · kernel ${check.kernel}`}
          </span>
        )}
      </header>
      {check ? (
        <Items key={check.at} items={check.items} />
      ) : (
        <p className="muted">
          A program in each new container checks its isolation. The results are shown here.
        </p>
      )}
      <CheckButton workspace={workspace} acts={acts} />
    </section>
  );
}

function CheckButton({ workspace, acts }: { workspace: WorkspaceDetail; acts: WorkspaceActions }) {
  const isBusy = acts.running === "check";
  if (!workspace.may.includes("check") && !isBusy) return null;
  return (
    <button
      type="button"
      className="button check-button"
      disabled={acts.running !== null}
      aria-busy={isBusy}
      onClick={() => acts.run(CHECK, workspace)}
    >
      <Icon name="shield" size={14} /> {isBusy ? CHECK.busy : workspace.self_check ? "Run again" : "Run it"}
    </button>
  );
}

function Items({ items }: { items: readonly CheckItem[] }) {
  const failed = items.filter((item) => !item.passed);
  const passed = items.filter((item) => item.passed);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      {failed.length > 0 && (
        <>
          <p className="check-verdict line medium check-failed">
            <Icon name="warning" size={14} /> {plural(failed.length, "check")} failed
          </p>
          <ItemList items={failed} />
        </>
      )}
      {passed.length > 0 && (
        <button
          type="button"
          className="check-verdict line medium hover-underlined"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="check" size={14} /> {plural(passed.length, "check")} passed
          <Chevron open={isOpen} />
        </button>
      )}
      <div id={id} hidden={!isOpen}>
        {isOpen && <ItemList items={passed} />}
      </div>
    </>
  );
}

function ItemList({ items }: { items: readonly CheckItem[] }) {
  return (
    <ul className="check-items">
      {items.map((item) => (
        <li
          key={item.name}
          className={`ruled-top ${item.passed ? "" : "check-failed"}`}
          data-testid="check-item"
        >
          <span className="check-word line gap-6 medium muted">
            <Icon name={item.passed ? "check" : "warning"} size={14} />
            {item.passed ? "Passed" : "Failed"}
          </span>
          <span className="break-anywhere">{item.name}</span>
          <span className="check-found break-anywhere muted">{visible(item.found)}</span>
        </li>
      ))}
    </ul>
  );
}
