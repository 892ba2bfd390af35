import { unlink } from "../api/auth";
import { ProviderButtons } from "../signed-out/ProviderButtons";
import { useConfig } from "../signed-out/session";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { useConfirming } from "./Confirmation";
import { accountKeys, refresh, useLinked } from "./queries";
import { Section } from "./Section";
import "./account.css";

/**
 * Accounts at identity providers that sign in to this one. Renders nothing if the site has no identity
 * provider.
 */
export function LinkedProviders() {
  const config = useConfig().data;
  if (!config?.providers.length) return null;
  return <LinkedAccounts />;
}

function LinkedAccounts() {
  const linked = useLinked();
  const confirming = useConfirming();
  const { run, busy, error } = useAction();
  const rows = linked.data ?? [];
  const remove = (provider: string, uid: string) =>
    run(async () => {
      await confirming(() => unlink(provider, uid));
      await refresh(accountKeys.linked);
    });
  return (
    <Section title="Other ways to sign in">
      {(linked.error ?? error) !== null && <Problem error={linked.error ?? error} />}
      <ul className="account-list full-width">
        {rows.map((row) => (
          <li
            className="line between gap-16 ruled"
            key={`${row.provider.id} ${row.uid}`}
            data-testid="linked"
          >
            <span className="stack gap-0 break-anywhere">
              {row.provider.name}
              <small className="muted">{row.display}</small>
            </span>
            <button
              type="button"
              className="button danger"
              disabled={busy}
              onClick={() => void remove(row.provider.id, row.uid)}
            >
              Unlink
            </button>
          </li>
        ))}
      </ul>
      {!linked.isPending && rows.length === 0 && <ProviderButtons process="connect" />}
    </Section>
  );
}
