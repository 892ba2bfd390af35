import { type ReactNode, useId } from "react";
import type { AgentEditing } from "./editing";
import { type Field, inheritedFrom } from "./fields";
import "./agents.css";

export interface ControlProps {
  id: string;
  describedBy: string;
}

interface FieldLineProps {
  field: Field;
  label: string;
  hint?: string;
  editing: AgentEditing;
  readOnly: boolean;
  wide?: boolean;
  children: (control: ControlProps) => ReactNode;
}

/** A form field with the level that sets it. A value that is set here can be reset. */
export function FieldLine({ field, label, hint, editing, readOnly, wide, children }: FieldLineProps) {
  const id = useId();
  const { isOwn, isChanged, from } = editing.state(field);
  return (
    <div className={`agent-field stack gap-4 ${wide ? "wide" : ""}`} data-field={field} data-own={isOwn}>
      <label htmlFor={id}>{label}</label>
      {children({ id, describedBy: `${id}-from` })}
      <p className="field-hint small muted" id={`${id}-from`}>
        {hint && <span>{hint} </span>}
        <span className={isOwn ? "medium text-normal" : undefined}>
          {originOf(isOwn, isChanged, inheritedFrom(from))}
        </span>
        {isOwn && !readOnly && (
          <button
            type="button"
            className="link"
            aria-label={`Reset ${label}`}
            onClick={() => editing.change(field, null)}
          >
            {" "}
            Reset{" "}
          </button>
        )}
      </p>
    </div>
  );
}

function originOf(isOwn: boolean, isChanged: boolean, source: string): string {
  if (isOwn) return isChanged ? "Set here, not saved yet." : "Set here.";
  return isChanged ? "Reset, not saved yet." : source;
}
