import type { ReactNode } from "react";
import { ApiError } from "../api/http";
import { Problem } from "./Notice";

interface FieldsProblemProps {
  error: unknown;
  /** What people call the field that the server named. */
  words?: (field: string) => string;
  children?: ReactNode;
}

/** Why something was not saved, with what is wrong in each of its fields. */
export function FieldsProblem({ error, words = (field) => field, children }: FieldsProblemProps) {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  return (
    <Problem error={error}>
      {fields.length > 0 && (
        <ul className="field-problems">
          {fields.map(([field, message]) => (
            <li key={field}>
              {words(field)}: {message}
            </li>
          ))}
        </ul>
      )}
      {children}
    </Problem>
  );
}
