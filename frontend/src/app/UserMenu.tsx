import { useStore } from "zustand";
import { accountPath } from "../account/paths";
import { signOut } from "../api/auth";
import type { Me } from "../api/types";
import { atPrefix } from "../lib/prefix";
import { readStored } from "../lib/storage";
import { themeStore, toggleTheme } from "../lib/theme";
import { policyPath } from "../policies/paths";
import { teamPath } from "../team/paths";
import { Menu } from "../ui/Menu";
import { LINE, type MenuEntries, type MenuEntry } from "../ui/menuEntries";
import { workspacesPath } from "../workspaces/paths";
import { canNotify, notifyStore, setNotify } from "./live";
import { clearCachedData } from "./queries";
import { open } from "./shellStore";
import "./Shell.css";

async function signOutAndClear(): Promise<void> {
  if (readStored("push") !== null) await import("../notices/push").then(({ forgetPush }) => forgetPush());
  await signOut();
  clearCachedData();
}

/** The menu of the account. */
export function UserMenu({ me }: { me: Me }) {
  const theme = useStore(themeStore, (state) => state.theme);
  const notifying = useStore(notifyStore, (state) => state.on);
  const name = me.user.name || me.user.email;
  const entries = (): MenuEntries => [
    { label: "Your account", icon: "user", href: accountPath() },
    { label: "Workspaces", icon: "box", href: workspacesPath() },
    ...me.teams.map(
      (team): MenuEntry => ({
        label: team.name,
        icon: "stack",
        detail: team.role,
        href: teamPath(team.id),
      }),
    ),
    ...(me.can_create_teams
      ? [{ label: "Create a team", icon: "plus", run: () => open("newTeam") } as const]
      : []),
    { label: "Settings of the site", icon: "shield", href: policyPath("site") },
    ...(me.is_operator
      ? [{ label: "Operator pages", icon: "tool", outside: atPrefix("/admin/") } as const]
      : []),
    LINE,
    {
      label: "Toggle theme",
      icon: theme === "light" ? "sun" : "moon",
      detail: theme,
      stays: true,
      run: toggleTheme,
    },
    {
      label: "Notices in this browser",
      icon: "wait",
      detail: canNotify() ? (notifying ? "on" : "off") : "blocked",
      isDisabled: !canNotify(),
      stays: true,
      run: () => setNotify(!notifying),
    },
    { label: "Keyboard shortcuts", icon: "list", detail: "Alt H", run: () => open("help") },
    LINE,
    { label: "Sign out", icon: "user", run: signOutAndClear },
  ];
  return (
    <Menu
      className="avatar small semibold"
      label={`Account of ${name}`}
      name="Account"
      side="top"
      head={
        <>
          <span className="semibold">{me.user.name || "Signed in"}</span>
          <span className="muted">{me.user.email}</span>
        </>
      }
      entries={entries}
    >
      {name.slice(0, 1).toUpperCase()}
    </Menu>
  );
}
