import { useState } from "react";
import { rollBackPolicy } from "../api/policies";
import type { Policy, PolicyVersion } from "../api/policyTypes";
import { formatAgo } from "../lib/format";
import { shownName } from "../permissions/approvers";
import { Chevron } from "../ui/Chevron";
import { Dialog } from "../ui/Dialog";
import { DiffView } from "../ui/DiffView";
import { Problem, Skeleton } from "../ui/Notice";
import { PagedList } from "../ui/PagedList";
import { useAction } from "../ui/useAction";
import { showSaved, useVersion, useVersions } from "./queries";
import { ReasonField } from "./ReasonField";
import "./versions.css";

/** All versions of a policy, newest first. Each opens to its diff. */
export function Versions({ policy }: { policy: Policy }) {
  const versions = useVersions(policy.place);
  const [target, setTarget] = useState<PolicyVersion | null>(null);
  return (
    <>
      <PagedList
        query={versions}
        className="ruled-top versions"
        loading="Loading the versions"
        placeholders={4}
        empty="No version was saved yet. The first save creates version 1."
        more="Show older versions"
      >
        {(item) => (
          <VersionRow
            key={item.version}
            item={item}
            policy={policy}
            onRollBack={
              policy.can_edit && item.version !== policy.version ? () => setTarget(item) : undefined
            }
          />
        )}
      </PagedList>
      <Dialog
        open={target !== null}
        onClose={() => setTarget(null)}
        title="Roll back"
        className="save-dialog"
      >
        {target && <RollBackForm policy={policy} target={target} onClose={() => setTarget(null)} />}
      </Dialog>
    </>
  );
}

interface VersionRowProps {
  item: PolicyVersion;
  policy: Policy;
  onRollBack: (() => void) | undefined;
}

function VersionRow({ item, policy, onRollBack }: VersionRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li data-testid="version" data-version={item.version}>
      <div className="version-row line gap-12 ruled">
        <button
          type="button"
          className="version-head line gap-12 grow"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron open={isOpen} />
          <span className="no-shrink medium number">Version {item.version}</span>
          <span className="version-reason ellipsis grow">
            {item.reason ||
              (item.restored_from ? `Rolled back to version ${item.restored_from}` : "No reason given")}
          </span>
          <span className="version-changes no-shrink muted">{item.changes}</span>
          <span className="version-author no-shrink muted">
            {item.author ? shownName(item.author) : "The site"}
          </span>
          <time className="version-time no-shrink muted number" dateTime={item.created_at}>
            {formatAgo(item.created_at)}
          </time>
        </button>
        {item.version === policy.version && <span className="no-shrink small muted">current</span>}
        {onRollBack && (
          <button type="button" className="link" onClick={onRollBack}>
            Roll back<span className="sr-only"> to version {item.version}</span>
          </button>
        )}
      </div>
      {isOpen && <VersionDiff place={policy.place} version={item.version} against={item.version - 1} />}
    </li>
  );
}

interface VersionDiffProps {
  place: string;
  version: number;
  against: number;
}

function VersionDiff({ place, version, against }: VersionDiffProps) {
  const found = useVersion(place, version, against);
  if (found.error) return <Problem error={found.error} />;
  if (!found.data) return <Skeleton rows={3} label="Loading the diff" />;
  return (
    <div className="version-diff" data-testid="version-diff">
      <DiffView patch={found.data.diff} path={`from version ${against} to ${version}`} />
    </div>
  );
}

interface RollBackProps {
  policy: Policy;
  target: PolicyVersion;
  onClose: () => void;
}

function RollBackForm({ policy, target, onClose }: RollBackProps) {
  const [reason, setReason] = useState("");
  const { run, busy, error } = useAction();
  const rollBack = async () => {
    const done = await run(async () =>
      showSaved(await rollBackPolicy(policy.place, target.version, policy.version, reason.trim())),
    );
    if (done) onClose();
  };
  return (
    <form
      className="save-form stack gap-16"
      onSubmit={(event) => {
        event.preventDefault();
        void rollBack();
      }}
    >
      <p>
        The content of version {target.version} becomes version {policy.version + 1}. Nothing is deleted: you
        can come back to version {policy.version} the same way.
      </p>
      <div className="save-diff">
        <VersionDiff place={policy.place} version={target.version} against={policy.version} />
      </div>
      <ReasonField value={reason} onChange={setReason} placeholder="Reason for rolling back" />
      {error !== null && <Problem error={error} />}
      <p className="cluster gap-12 gap-y-8">
        <span className="spacer" />
        <button type="button" className="button" onClick={onClose}>
          {" "}
          Cancel{" "}
        </button>
        <button type="submit" className="button primary" disabled={busy || !reason.trim()}>
          Roll back to version {target.version}
        </button>
      </p>
    </form>
  );
}
