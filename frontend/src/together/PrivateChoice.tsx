import { useId } from "react";
import "./private.css";

interface PrivateChoiceProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Makes the next session private. Explains what that means once it is chosen. */
export function PrivateChoice({ checked, onChange }: PrivateChoiceProps) {
  const hintId = useId();
  return (
    <div className="private-choice stack gap-4 small">
      <label className="line muted">
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
          Only you can see the new session until you add people. The team can still see the files of its
          workspace.
        </p>
      )}
    </div>
  );
}
