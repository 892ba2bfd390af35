import { useState } from "react";
import { Icon } from "./Icon";

interface CopyFieldProps {
  /** Label of the field: "Public key". */
  label: string;
  value: string;
  testId: string;
}

/** A text to copy that is no secret. */
export function CopyField({ label, value, testId }: CopyFieldProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(value);
    setCopied(true);
  };
  return (
    <div className="line gap-6" data-testid={testId}>
      <input
        className="mono small grow"
        readOnly
        aria-label={label}
        value={value}
        onFocus={(event) => event.target.select()}
      />
      <button type="button" className="button" onClick={() => void copy()}>
        <Icon name={copied ? "check" : "copy"} size={14} /> {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
