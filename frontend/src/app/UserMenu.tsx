import { useRef } from "react";
import { Link } from "wouter";
import { useStore } from "zustand";
import { accountPath } from "../account/paths";
import { signOut } from "../api/auth";
import type { Me } from "../api/types";
import { atPrefix } from "../lib/prefix";
import { themeStore, toggleTheme } from "../lib/theme";
import { policyPath } from "../policies/paths";
import { teamPath } from "../team/paths";
import { Icon } from "../ui/Icon";
import { workspacesPath } from "../workspaces/paths";
import { canNotify, notifyStore, setNotify } from "./live";
import { clearCachedData } from "./queries";
import { open } from "./shellStore";
import "./Shell.css";

async function signOutAndClear(): Promise<void> {
  await signOut();
  clearCachedData();
}

/** The account menu, a popover: Escape and a click outside close it. */
export function UserMenu({ me }: { me: Me }) {
  const menu = useRef<HTMLDivElement>(null);
  const theme = useStore(themeStore, (state) => state.theme);
  const notifying = useStore(notifyStore, (state) => state.on);
  const name = me.user.name || me.user.email;
  const act = (action: () => void) => () => {
    menu.current?.hidePopover?.();
    action();
  };
  return (
    <>
      <button
        type="button"
        className="avatar small semibold"
        popoverTarget="user-menu"
        aria-label={`Account of ${name}`}
      >
        {name.slice(0, 1).toUpperCase()}
      </button>
      <div ref={menu} id="user-menu" popover="auto" className="menu" role="dialog" aria-label="Account">
        <p className="menu-head stack gap-0 ruled">
          <span className="semibold">{me.user.name || "Signed in"}</span>
          <span className="muted">{me.user.email}</span>
        </p>
        <Link href={accountPath()} onClick={act(() => {})}>
          <Icon name="user" />
          Your account
        </Link>
        <Link href={workspacesPath()} onClick={act(() => {})}>
          <Icon name="box" />
          Workspaces
        </Link>
        {me.teams.map((team) => (
          <Link key={team.id} href={teamPath(team.id)} onClick={act(() => {})}>
            <Icon name="stack" />
            {team.name}
            <span className="muted push-end">{team.role}</span>
          </Link>
        ))}
        {me.can_create_teams && (
          <button type="button" onClick={act(() => open("newTeam"))}>
            <Icon name="plus" />
            Create a team
          </button>
        )}
        <Link href={policyPath("site")} onClick={act(() => {})}>
          <Icon name="shield" />
          Settings of the site
        </Link>
        {me.is_operator && (
          <a href={atPrefix("/admin/")}>
            <Icon name="tool" />
            Operator pages
          </a>
        )}
        <hr />
        <button type="button" onClick={toggleTheme}>
          <Icon name={theme === "light" ? "sun" : "moon"} />
          Toggle theme
          <span className="muted push-end">{theme}</span>
        </button>
        <button
          type="button"
          aria-pressed={notifying}
          disabled={!canNotify()}
          onClick={() => void setNotify(!notifying)}
        >
          <Icon name="wait" />
          Browser notifications
          <span className="muted push-end">{canNotify() ? (notifying ? "on" : "off") : "blocked"}</span>
        </button>
        <button type="button" onClick={act(() => open("help"))}>
          <Icon name="list" /> Keyboard shortcuts <span className="muted push-end">?</span>
        </button>
        <hr />
        <button type="button" onClick={act(() => void signOutAndClear())}>
          <Icon name="user" />
          Sign out
        </button>
      </div>
    </>
  );
}
