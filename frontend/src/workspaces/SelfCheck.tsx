import { useId, useState } from "react";
import type { CheckItem, WorkspaceDetail } from "../api/workspaceTypes";
import { formatAgo, plural } from "../lib/format";
import { visible } from "../lib/visible";
import { Icon } from "../ui/Icon";
import { actionOf } from "./actions";
import type { WorkspaceActions } from "./useWorkspaceActions";

const CHECK = actionOf("check");

/** Results of the container's self-check, collapsed if all checks passed. */
export function SelfCheck({ workspace, acts }: { workspace: WorkspaceDetail; acts: WorkspaceActions }) {
  const check = workspace.self_check;
  return (
    <section className="workspace-part" aria-label="Self-check" data-testid="self-check">
      <header>
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
          <p className="check-verdict check-failed">
            <Icon name="warning" size={14} /> {plural(failed.length, "check")} failed
          </p>
          <ItemList items={failed} />
        </>
      )}
      {passed.length > 0 && (
        <button
          type="button"
          className="check-verdict check-fold"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="check" size={14} /> {plural(passed.length, "check")} passed
          <span className={`turner ${isOpen ? "open" : ""}`}>
            <Icon name="chevron" size={12} />
          </span>
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
        <li key={item.name} className={item.passed ? "" : "check-failed"} data-testid="check-item">
          <span className="check-word">
            <Icon name={item.passed ? "check" : "warning"} size={14} />
            {item.passed ? "Passed" : "Failed"}
          </span>
          <span className="check-name">{item.name}</span>
          <span className="check-found muted">{visible(item.found)}</span>
        </li>
      ))}
    </ul>
  );
}
