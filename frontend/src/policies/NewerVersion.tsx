import { useEffect, useRef, useState } from "react";
import type { Policy } from "../api/policyTypes";
import { shownName } from "../permissions/approvers";
import { DiffView } from "../ui/DiffView";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { documentOf } from "./document";
import type { PolicyEditing } from "./draft";
import { lineDiff } from "./lineDiff";
import { useVersion } from "./queries";
import { documentLines } from "./text";
import "./versions.css";

type Shown = "theirs" | "mine" | null;

/**
 * Notice that a newer version was saved during editing: shows its changes and those of the draft, and lets
 * the person choose.
 */
export function NewerVersion({ policy, editing }: { policy: Policy; editing: PolicyEditing }) {
  const [shown, setShown] = useState<Shown>(null);
  const who = policy.author ? shownName(policy.author) : "Somebody";
  const box = useRef<HTMLElement>(null);
  useEffect(() => void box.current?.scrollIntoView?.({ block: "nearest" }), []);
  const toggle = (what: Shown) => () => setShown(shown === what ? null : what);
  return (
    <section
      ref={box}
      className="behind waiting-box stack gap-12"
      role="alert"
      aria-label="Somebody else saved"
      data-testid="behind"
    >
      <p>
        <Icon name="warning" />
        <span>
          <strong>
            {who} saved version {policy.version} while you were editing.
          </strong>{" "}
          Your draft, based on version {editing.base}, is kept.
        </span>
      </p>
      <div className="answers cluster">
        <button
          type="button"
          className="button"
          aria-expanded={shown === "theirs"}
          onClick={toggle("theirs")}
        >
          Changes by {who}
        </button>
        <button type="button" className="button" aria-expanded={shown === "mine"} onClick={toggle("mine")}>
          Changes in my draft
        </button>
        <button type="button" className="button primary" onClick={editing.rebase}>
          Continue with my draft
        </button>
        <button type="button" className="button" onClick={editing.discard}>
          Use version {policy.version}
        </button>
      </div>
      {shown === "theirs" && <SavedChanges policy={policy} base={editing.base} />}
      {shown === "mine" && (
        <DiffView
          patch={lineDiff(documentLines(documentOf(policy)), documentLines(editing.document))}
          path="of my draft against the saved policy"
        />
      )}
    </section>
  );
}

function SavedChanges({ policy, base }: { policy: Policy; base: number }) {
  const version = useVersion(policy.place, policy.version, base);
  if (version.error) return <Problem error={version.error} />;
  if (!version.data) return <Skeleton rows={3} label="Loading the diff" />;
  return <DiffView patch={version.data.diff} path={`from version ${base} to ${policy.version}`} />;
}
