import { type ReactNode, useEffect, useRef } from "react";
import { ApiError } from "../api/http";
import { Problem } from "./Notice";

interface FieldsProblemProps {
  error: unknown;
  /** Returns the label of a field that the server named. */
  fieldLabel?: (field: string) => string;
  children?: ReactNode;
}

/** An error message with the problems of single fields. */
export function FieldsProblem({ error, fieldLabel = (field) => field, children }: FieldsProblemProps) {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  const end = useRef<HTMLSpanElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another error may be as far below the end of a dialog
  useEffect(() => {
    end.current?.scrollIntoView?.({ block: "nearest" }); // newer browsers return a promise, which is no cleanup
  }, [error]);
  return (
    <Problem error={error}>
      {fields.length > 0 && (
        <ul className="field-problems break-anywhere">
          {fields.map(([field, message]) => (
            <li key={field}>
              {fieldLabel(field)}: {message}
            </li>
          ))}
        </ul>
      )}
      {children}
      <span ref={end} />
    </Problem>
  );
}
