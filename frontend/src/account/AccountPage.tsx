import { useTabTitle } from "../app/live";
import { useMe } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { SettingsTabs } from "../settings/SettingsTabs";
import { ACCOUNT_TABS } from "./tabs";

/** The settings of the signed-in person: profile, sign-in methods, devices, tokens, data, budgets and notifications. */
export function AccountPage({ tab }: { tab: string | undefined }) {
  const me = useMe().data;
  useTabTitle("Your account", useWaiting().count);
  if (!me) return null;
  return (
    <SettingsTabs level={{ kind: "account" }} tabs={ACCOUNT_TABS} requested={tab} bodyProps={{ me }}>
      <p className="muted">{me.user.email}</p>
    </SettingsTabs>
  );
}
