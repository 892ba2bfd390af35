import "../styles/policies.css";
import "../styles/policy-tabs.css";
import "../styles/team.css";
import "../styles/account.css";
import { Suspense } from "react";
import { useLocation } from "wouter";
import { useTabTitle } from "../app/live";
import { useMe } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { Skeleton } from "../ui/Notice";
import { Tabs } from "../ui/Tabs";
import { accountPath } from "./paths";
import { ACCOUNT_TABS } from "./tabs";

/**
 * The signed-in person's account: profile, sign-in methods, devices, tokens, data, budgets and notifications.
 */
export function AccountPage({ tab }: { tab: string | undefined }) {
  const me = useMe().data;
  const [, go] = useLocation();
  useTabTitle("Your account", useWaiting().count);
  const shown = ACCOUNT_TABS.find((item) => item.name === tab) ?? ACCOUNT_TABS[0];
  if (!me || !shown) return null;
  return (
    <div className="policy-frame">
      <main className="policy account-page" id="main">
        <h1>Your account</h1>
        <p className="muted">{me.user.email}</p>
        <Tabs
          label="About your account"
          tabs={ACCOUNT_TABS}
          selected={shown.name}
          onSelect={(name) => go(accountPath(name), { replace: true })}
        >
          <Suspense fallback={<Skeleton rows={6} label={`Loading ${shown.label.toLowerCase()}`} />}>
            <shown.Body me={me} />
          </Suspense>
        </Tabs>
      </main>
    </div>
  );
}
