import { useState } from "react";
import type { IssuedInvitation } from "../api/teams";
import { Icon } from "../ui/Icon";

/** The link of an invitation, which is shown this once. */
export function IssuedLink({ issued, onClose }: { issued: IssuedInvitation; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(issued.link);
    setCopied(true);
  };
  return (
    <div className="issued-link" role="status" data-testid="issued-link">
      <p>
        <strong>{issued.email}</strong> was sent a link by e-mail. You can hand over this one yourself; it is
        not shown again.
      </p>
      <div className="issued-line">
        <input
          readOnly
          aria-label="Link of the invitation"
          value={issued.link}
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
