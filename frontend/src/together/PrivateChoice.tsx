import { useId } from "react";

interface PrivateChoiceProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Who will see the session that is made next. What it means is said once it is chosen. */
export function PrivateChoice({ checked, onChange }: PrivateChoiceProps) {
  const hintId = useId();
  return (
    <div className="private-choice">
      <label>
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={checked ? hintId : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />{" "}
        Private
      </label>
      {checked && (
        <p className="muted" id={hintId}>
          Only you see the new session, until you add people. The files of its workspace stay the team's.
        </p>
      )}
    </div>
  );
}
