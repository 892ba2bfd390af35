import { useState } from "react";
import { readRecoveryCodes, renewRecoveryCodes } from "../api/auth";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useConfirming } from "./Confirmation";
import { accountKeys, refresh } from "./queries";
import { Section } from "./Section";
import "./account.css";

export function RecoveryCodes({ left }: { left: number }) {
  const [codes, setCodes] = useState<string[] | null>(null);
  const confirming = useConfirming();
  const { run, busy, error } = useAction();
  const show = (read: () => Promise<string[]>) =>
    run(async () => {
      setCodes(await confirming(read));
      await refresh(accountKeys.factors);
    });
  return (
    <Section
      title="Recovery codes"
      about={`Each code signs you in once if you lose your phone or security key. ${left} left. Do not keep them on your phone.`}
    >
      {error !== null && <Problem error={error} />}
      {codes && (
        <ul className="account-codes mono full-width" data-testid="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      )}
      <div className="line gap-12">
        {!codes && (
          <button
            type="button"
            className="button"
            disabled={busy}
            onClick={() => void show(readRecoveryCodes)}
          >
            Show
          </button>
        )}
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => void show(renewRecoveryCodes)}
        >
          Create new codes
        </button>
        <span className="muted">New codes replace the old ones.</span>
      </div>
    </Section>
  );
}
