import { type ReactNode, useId } from "react";
import type { Editing } from "./AgentForm";
import { elsewhere, type Field } from "./fields";

export interface ControlProps {
  id: string;
  describedBy: string;
}

interface FieldLineProps {
  field: Field;
  label: string;
  hint?: string;
  editing: Editing;
  readOnly: boolean;
  wide?: boolean;
  children: (control: ControlProps) => ReactNode;
}

/** A field with whose word it is; what is said here can be taken back. */
export function FieldLine({ field, label, hint, editing, readOnly, wide, children }: FieldLineProps) {
  const id = useId();
  const { isOwn, isChanged, from } = editing.state(field);
  return (
    <div className={`agent-field ${wide ? "wide" : ""}`} data-field={field} data-own={isOwn}>
      <label htmlFor={id}>{label}</label>
      {children({ id, describedBy: `${id}-from` })}
      <p className="field-hint" id={`${id}-from`}>
        {hint && <span>{hint} </span>}
        <span className={isOwn ? "field-own" : undefined}>
          {fromWords(isOwn, isChanged, elsewhere(from))}
        </span>
        {isOwn && !readOnly && (
          <button
            type="button"
            className="link"
            aria-label={`Take back ${label}`}
            onClick={() => editing.change(field, null)}
          >
            Take back
          </button>
        )}
      </p>
    </div>
  );
}

function fromWords(isOwn: boolean, isChanged: boolean, source: string): string {
  if (isOwn) return isChanged ? "Said here, not saved yet." : "Said here.";
  return isChanged ? "Taken back, not saved yet." : source;
}
