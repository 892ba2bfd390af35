import { type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { useStore } from "zustand";
import type { Me } from "../api/types";
import { WaitingTray } from "../permissions/WaitingTray";
import { CreateTeamDialog } from "../team/CreateTeam";
import { Icon } from "../ui/Icon";
import { Logo } from "../ui/Logo";
import { KeysDialog } from "./KeysDialog";
import { useAltKeys } from "./keys";
import { useMyStream } from "./live";
import { Palette } from "./Palette";
import { ProvidersDialog } from "./ProvidersDialog";
import { closeDrawers, open, shellStore, toggleLeft, toggleRight } from "./shellStore";
import { UserMenu } from "./UserMenu";
import "./Palette.css";
import "./Shell.css";

export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const [location] = useLocation();
  useMyStream();
  usePaletteKey();
  useAltKeys({ h: () => open("help"), l: toggleLeft, p: toggleRight });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drawer closes whenever the page changes
  useEffect(closeDrawers, [location]);
  return (
    <div className="app vertical">
      <a className="skip" href="#main">
        Skip to content
      </a>
      {me.site.demo_model && <DemoBanner />}
      <TopBar me={me} inPanels={/^\/(?:projects|sessions)\/[^/]+$/.test(location)} />
      <div className="page vertical">{children}</div>
      <WaitingTray />
      <Palette />
      <KeysDialog />
      <ProvidersDialog />
      <CreateTeamDialog />
    </div>
  );
}

function usePaletteKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      shellStore.setState((state) => ({ palette: !state.palette }));
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function DemoBanner() {
  return (
    <aside className="demo-banner small muted ruled" data-testid="demo-banner" aria-label="About the model">
      <p>
        <strong>Demo model:</strong> follows simple instructions, needs no API key.{" "}
        <button type="button" className="link" onClick={() => open("providers")}>
          How to add a real provider
        </button>
      </p>
    </aside>
  );
}

function TopBar({ me, inPanels }: { me: Me; inPanels: boolean }) {
  const { leftDrawer, left } = useStore(shellStore);
  return (
    <header className="top-bar line no-shrink ruled">
      {inPanels && (
        <button
          type="button"
          className="icon-button"
          aria-label="Session list"
          aria-expanded={leftDrawer || left}
          onClick={toggleLeft}
        >
          <Icon name="menu" />
        </button>
      )}
      <Link href="/" className="brand inline gap-8 semibold" aria-label="agentsite, home">
        <Logo />
        <span>agentsite</span>
      </Link>
      <div className="spacer" />
      <button type="button" className="palette-button inline gap-8 muted" onClick={() => open("palette")}>
        <Icon name="explore" />
        <span className="sr-only-narrow">Search or run a command</span>
        <kbd>Ctrl K</kbd>
      </button>
      <UserMenu me={me} />
    </header>
  );
}
