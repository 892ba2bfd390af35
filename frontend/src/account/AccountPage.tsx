import { useTabTitle } from "../app/live";
import { useMe } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { LazyTabs } from "../ui/LazyTabs";
import { accountPath } from "./paths";
import { ACCOUNT_TABS } from "./tabs";

/**
 * The signed-in person's account: profile, sign-in methods, devices, tokens, data, budgets and notifications.
 */
export function AccountPage({ tab }: { tab: string | undefined }) {
  const me = useMe().data;
  useTabTitle("Your account", useWaiting().count);
  if (!me) return null;
  return (
    <div className="page-frame">
      <main className="page-column vertical" id="main">
        <h1>Your account</h1>
        <p className="muted">{me.user.email}</p>
        <LazyTabs label="About your account" tabs={ACCOUNT_TABS} requested={tab} pathOf={accountPath}>
          {({ Body }) => <Body me={me} />}
        </LazyTabs>
      </main>
    </div>
  );
}
