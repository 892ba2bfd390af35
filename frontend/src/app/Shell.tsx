import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { useStore } from "zustand";
import type { Me } from "../api/types";
import { readStored, writeStored } from "../lib/storage";
import { WaitingTray } from "../permissions/WaitingTray";
import { Rail } from "../rail/Rail";
import { Icon } from "../ui/Icon";
import { Logo } from "../ui/Logo";
import { LeftColumn } from "../workbench/columns";
import { useAltKeys } from "./keys";
import { useMyStream } from "./live";
import { Overlays, TipsLater } from "./Overlays";
import { closeDrawers, open, shellStore, toggleLeft, toggleRight } from "./shellStore";
import { useWaiting } from "./waiting";
import "./Shell.css";

export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const [location, go] = useLocation();
  const isOpen = useStore(shellStore, (state) => state.left);
  useMyStream();
  usePaletteKey();
  useDrawerKey();
  useAltKeys({ h: () => open("help"), i: () => go("/inbox"), l: toggleLeft, p: toggleRight });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drawer closes whenever the page changes
  useEffect(closeDrawers, [location]);
  return (
    <div className="app vertical">
      <a className="skip" href="#main">
        Skip to content
      </a>
      {me.site.demo_model && <DemoBanner />}
      <div className="app-body" data-rail={isOpen}>
        <LeftColumn>
          <Rail me={me} />
        </LeftColumn>
        <div className="app-main vertical grow">
          <TopBar />
          <div className="page vertical">{children}</div>
        </div>
      </div>
      <WaitingTray />
      <Overlays />
      <TipsLater />
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

/** Escape closes a drawer, wherever the focus is. */
function useDrawerKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { leftDrawer, rightDrawer } = shellStore.getState();
      if (event.key === "Escape" && !event.defaultPrevented && (leftDrawer || rightDrawer)) closeDrawers();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

const DEMO_SEEN = "demo.seen";

function DemoBanner() {
  const [isClosed, setClosed] = useState(() => readStored(DEMO_SEEN) === "yes");
  if (isClosed) return null;
  const dismiss = () => {
    writeStored(DEMO_SEEN, "yes");
    setClosed(true);
  };
  return (
    <aside
      className="demo-banner line gap-4 small muted ruled"
      data-testid="demo-banner"
      aria-label="About the model"
    >
      <p className="grow">
        <strong>Demo model:</strong> follows simple instructions, needs no API key.{" "}
        <button type="button" className="link" onClick={() => open("providers")}>
          How to add a real provider
        </button>
      </p>
      <button type="button" className="icon-button" aria-label="Hide this note" onClick={dismiss}>
        <Icon name="close" size={12} />
      </button>
    </aside>
  );
}

/** Shown while the rail is hidden: on narrow screens, or when it was closed. */
function TopBar() {
  const { leftDrawer, left } = useStore(shellStore);
  const { count } = useWaiting();
  return (
    <header className="top-bar line no-shrink ruled">
      <button
        type="button"
        className="icon-button"
        aria-label="Show the sidebar"
        title="Show the sidebar (Alt L)"
        aria-expanded={leftDrawer || left}
        onClick={toggleLeft}
      >
        <Icon name="menu" />
      </button>
      <Link href="/" className="brand inline gap-8 semibold" aria-label="agentsite, home">
        <Logo />
        <span>agentsite</span>
      </Link>
      <div className="spacer" />
      <Link
        href="/inbox"
        className="icon-button"
        aria-label={count > 0 ? `Inbox, ${count} waiting for you` : "Inbox"}
      >
        <span className="inline gap-2 small semibold">
          <Icon name="inbox" />
          {count > 0 && <span aria-hidden="true">{count}</span>}
        </span>
      </Link>
      <button
        type="button"
        className="icon-button"
        aria-label="Search or run a command"
        onClick={() => open("palette")}
      >
        <Icon name="explore" />
      </button>
    </header>
  );
}
