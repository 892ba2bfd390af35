import { type InputHTMLAttributes, useId } from "react";

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: string;
  hint?: string;
  onText: (text: string) => void;
}

export function TextField({ label, hint, onText, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onText(event.target.value)}
      />
      {hint && (
        <small id={`${id}-hint`} className="muted">
          {hint}
        </small>
      )}
    </div>
  );
}

const PASSWORD_HINT =
  "At least 12 characters, not a common password, and not similar to your name or e-mail address.";

type FieldProps = Pick<TextFieldProps, "value" | "onText" | "readOnly">;

export const EmailField = (field: FieldProps) => (
  <TextField {...field} label="E-mail" type="email" autoComplete="username" required />
);

/** Field for a new password. */
export const NewPasswordField = ({ label, ...field }: FieldProps & { label: string }) => (
  <TextField
    {...field}
    label={label}
    type="password"
    autoComplete="new-password"
    required
    hint={PASSWORD_HINT}
  />
);
