import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { readWhy } from "../api/policies";
import type { Versions } from "../api/policyTypes";
import { Chevron } from "../ui/Chevron";
import { Problem, Skeleton } from "../ui/Notice";
import { DecisionList } from "./DecisionList";
import "./why.css";

/**
 * A row that opens to the reasons of a decision and loads them then. They are read again when `state`
 * changes.
 */
export function WhyRow({ callId, state }: { callId: string; state: string }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="why-box" data-testid="why">
      <button
        type="button"
        className="why-button inline small medium muted"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron open={isOpen} />
        Why
      </button>
      <div id={id} hidden={!isOpen} className="why-panel small">
        {isOpen && <LoadedReasons callId={callId} state={state} />}
      </div>
    </div>
  );
}

function LoadedReasons({ callId, state }: { callId: string; state: string }) {
  const why = useQuery({ queryKey: ["why", callId, state], queryFn: () => readWhy(callId) });
  if (why.error) return <Problem error={why.error} />;
  if (!why.data) return <Skeleton rows={2} label="Loading the reasons" />;
  return (
    <>
      {why.data.decided_at === null ? (
        <p className="muted">No decision was needed for this call.</p>
      ) : (
        <>
          <DecisionList decisions={why.data.decisions} />
          <p className="why-versions text-faint number">{versionText(why.data.versions)}</p>
        </>
      )}
    </>
  );
}

/** "Policies at that time: site none, team version 3, project version 1." */
export function versionText(versions: Versions): string {
  const one = (name: string, version: number) =>
    version > 0 ? `${name} version ${version}` : `${name} none`;
  const { site, team, project } = versions;
  return `Policies at that time: ${one("site", site)}, ${one("team", team)}, ${one("project", project)}.`;
}
