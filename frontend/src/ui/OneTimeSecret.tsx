import { type ReactNode, useState } from "react";
import { Icon } from "./Icon";

interface OneTimeSecretProps {
  /** Label of the field: "Invitation link". */
  label: string;
  value: string;
  testId: string;
  onClose?: () => void;
  /** Explanation above the field. */
  children: ReactNode;
}

/** A secret, or a link with one, to copy. The site cannot show it again. */
export function OneTimeSecret({ label, value, testId, onClose, children }: OneTimeSecretProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(value);
    setCopied(true);
  };
  return (
    <div className="issued-link stack" role="status" data-testid={testId}>
      <p>{children}</p>
      <div className="issued-line line">
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
        {onClose && (
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
    </div>
  );
}
