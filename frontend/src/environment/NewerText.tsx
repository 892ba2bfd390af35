import type { components } from "../api/schema";
import { visibleLine } from "../lib/visible";
import { shownName } from "../permissions/approvers";
import { lineDiff } from "../policies/lineDiff";
import { DiffView } from "../ui/DiffView";

interface NewerTextProps {
  changedBy: components["schemas"]["PersonView"] | null | undefined;
  saved: string;
  draft: string;
  /** Gets the text to continue with. */
  onChoice: (text: string) => void;
}

/** Notice that somebody saved another text during editing: shows the difference, and lets the person choose. */
export function NewerText({ changedBy, saved, draft, onChoice }: NewerTextProps) {
  const who = changedBy ? shownName(changedBy) : "Somebody";
  return (
    <section className="waiting-box stack gap-12 full-width" role="alert" aria-label="Somebody else saved">
      <p>
        <strong>{visibleLine(who)} saved another text while you were editing.</strong> Your draft is kept.
        This is how it differs from the saved text:
      </p>
      <DiffView
        patch={lineDiff(saved.split("\n"), draft.split("\n"))}
        path="of my draft against the saved text"
      />
      <div className="flow">
        <button type="button" className="button primary" onClick={() => onChoice(draft)}>
          Continue with my draft
        </button>
        <button type="button" className="button" onClick={() => onChoice(saved)}>
          Use the saved text
        </button>
      </div>
    </section>
  );
}
