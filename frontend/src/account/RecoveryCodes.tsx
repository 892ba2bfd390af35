import { useState } from "react";
import { readRecoveryCodes, renewRecoveryCodes } from "../api/auth";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useConfirming } from "./Confirmation";
import { accountKeys, refresh } from "./queries";
import { Section } from "./Section";

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
      about={`Each lets you in once when your phone or key is gone. ${left} ${left === 1 ? "is" : "are"} left. Keep them where your phone is not.`}
    >
      {error !== null && <Problem error={error} />}
      {codes && (
        <ul className="account-codes" data-testid="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      )}
      <div className="settings-foot">
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
          Make new ones
        </button>
        <span className="muted">New ones make the old ones worthless.</span>
      </div>
    </Section>
  );
}
