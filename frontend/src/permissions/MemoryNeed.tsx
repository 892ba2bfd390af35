import type { PermissionNeed } from "../api/types";
import { visible } from "../lib/visible";
import { factsIn, textIn } from "../tools/facts";
import { NeedText } from "./NeedText";
import "./cards.css";

/** The note that a call would add, replace or delete, with its text before. */
export function MemoryNeed({ need }: { need: PermissionNeed }) {
  const wanted = factsIn(need.metadata, "memory_note");
  const [text, before] = [textIn(wanted, "text"), textIn(wanted, "before")];
  return (
    <div className="need boxed">
      <p className="need-subject small muted">
        {text
          ? "Every later session of this project is told the note."
          : "Later sessions are not told it any more."}
      </p>
      {before && (
        <NeedText className="muted">
          <s>{visible(before)}</s>
        </NeedText>
      )}
      {text && <NeedText>{visible(text)}</NeedText>}
    </div>
  );
}
