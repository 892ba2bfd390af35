import type { ConfigurationValue } from "../api/configuration";
import { visibleLine } from "../lib/visible";
import { STATUS } from "./words";

/** A sentence for each value that does not apply, or applies with a restriction. */
export function ValueNotes({ notes, label }: { notes: readonly ConfigurationValue[]; label: string }) {
  if (notes.length === 0) return null;
  return (
    <section aria-label={label} className="stack gap-6">
      <h3 className="small medium">{label}</h3>
      <ul className="stack gap-8">
        {notes.map((note) => (
          <li key={note.key} className="small" data-testid="configuration-note">
            <code className="break-anywhere">{visibleLine(note.written || note.key)}</code>{" "}
            <span className="medium">{STATUS[note.status]}.</span> <span>{visibleLine(note.reason)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
