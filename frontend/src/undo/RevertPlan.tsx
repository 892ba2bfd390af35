import { plural } from "../lib/format";
import { Problem } from "../ui/Notice";
import { UndoFiles } from "./UndoFiles";
import type { RevertPlanState } from "./useRevertPlan";
import "./Undo.css";

/** What a revert would do with each file, with the decisions that it needs. */
export function RevertPlan({ plan, verb }: { plan: RevertPlanState; verb: string }) {
  const { preview, files, decisions, decide } = plan;
  if (preview.isPending) return plan.isAsked ? <p className="muted">Comparing the files…</p> : null;
  if (preview.error) return <Problem error={preview.error} />;
  return (
    <>
      <Summary hidden={preview.data.hidden} files={files.length} verb={verb} />
      <Warnings background={preview.data.background} others={preview.data.others} />
      <UndoFiles files={files} decisions={decisions} onDecide={decide} verb={verb} />
      <NotCovered sentences={preview.data.not_covered} />
    </>
  );
}

function Summary({ hidden, files, verb }: { hidden: number; files: number; verb: string }) {
  const what = files === 0 ? "No file changes." : `${plural(files, "file")}, listed below.`;
  if (hidden === 0 || (verb !== "Undo" && verb !== "Redo")) return <p>{what}</p>;
  return (
    <p>
      {plural(hidden, "message")} will be hidden from people and the model. {what} {verb} can be redone until
      the next prompt.
    </p>
  );
}

function Warnings({ background, others }: { background: number; others: number }) {
  if (background === 0 && others === 0) return null;
  return (
    <p className="undo-warning">
      {background > 0 && `${plural(background, "background command")} may change files meanwhile. `}
      {others > 0 && `Other sessions work in this workspace (${others}). Their changes are kept.`}
    </p>
  );
}

function NotCovered({ sentences }: { sentences: readonly string[] }) {
  return (
    <section className="small muted" aria-label="Not covered">
      <p className="semibold">Not covered</p>
      <ul className="undo-gaps">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
