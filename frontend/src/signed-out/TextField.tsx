import { type InputHTMLAttributes, useId } from "react";
import { ApiError } from "../api/http";

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: string;
  hint?: string;
  onText: (text: string) => void;
}

export function TextField({ label, hint, onText, ...input }: TextFieldProps) {
  const hintId = useId();
  return (
    <label className="field">
      <span>{label}</span>
      <input
        {...input}
        aria-describedby={hint ? hintId : undefined}
        onChange={(event) => onText(event.target.value)}
      />
      {hint && (
        <small id={hintId} className="muted">
          {hint}
        </small>
      )}
    </label>
  );
}

export const PASSWORD_HINT = "At least 12 characters, not a common one, and not like your name or address.";

/** Whether the server found fault with this field. */
export const isWrong = (error: unknown, field: string): boolean =>
  error instanceof ApiError && field in error.fields;
