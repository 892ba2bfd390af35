import { useState } from "react";
import { Icon } from "../ui/Icon";

interface SecretOnceProps {
  /** What it is: "token", "signing secret". */
  what: string;
  secret: string;
  onClose: () => void;
}

/** A secret that is shown this once. */
export function SecretOnce({ what, secret, onClose }: SecretOnceProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    setCopied(true);
  };
  return (
    <div className="issued-link" role="status" data-testid="secret-once">
      <p>
        <strong>Keep the {what} now.</strong> It is not shown again.
      </p>
      <div className="issued-line">
        <input
          readOnly
          aria-label={`The new ${what}`}
          value={secret}
          onFocus={(event) => event.target.select()}
        />
        <button type="button" className="button" onClick={() => void copy()}>
          <Icon name={copied ? "check" : "copy"} size={14} /> {copied ? "Copied" : "Copy"}
        </button>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
    </div>
  );
}
