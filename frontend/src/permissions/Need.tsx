import type { PermissionNeed } from "../api/types";
import { visible, visibleLine } from "../lib/visible";
import { DiffView } from "../ui/DiffView";
import { CommandFacts } from "./CommandFacts";
import { factsOfNeed, withoutRepeating } from "./shellFacts";
import { subjectOf, textOf } from "./words";

/** One thing that a call needs: the command and what it touches, the change, or the path. */
export function Need({ need }: { need: PermissionNeed }) {
  const command = textOf(need, "command");
  const diff = textOf(need, "diff");
  const description = textOf(need, "description");
  const facts = factsOfNeed(need);
  return (
    <div className="need">
      {description && <p className="need-description">{visibleLine(description)}</p>}
      {command ? (
        <div className="command">
          <span aria-hidden="true">$</span>
          <code>{visible(command)}</code>
        </div>
      ) : (
        <p className="need-subject">
          <code>{visibleLine(subjectOf(need))}</code>
        </p>
      )}
      {facts && <CommandFacts facts={withoutRepeating(facts, command)} />}
      {diff && <DiffView patch={diff} path={`that is asked for: ${subjectOf(need)}`} />}
    </div>
  );
}
