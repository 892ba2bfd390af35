import { type KeyboardEvent, lazy, Suspense, useEffect } from "react";
import { useStore } from "zustand";
import { closeDrawers } from "../app/shellStore";
import { PullRequestPanel } from "../repositories/PullRequestPanel";
import { WorkingCopy } from "../repositories/WorkingCopy";
import { Icon } from "../ui/Icon";
import { Skeleton } from "../ui/Notice";
import { Changes, useChanges } from "./Changes";
import { Details } from "./Details";
import { Downloads } from "./Downloads";
import { sideStore, TABS, type Tab } from "./sideStore";
import "./SidePanel.css";

const FilesPanel = lazy(() => import("../files/FilesPanel").then((all) => ({ default: all.FilesPanel })));
const TerminalPanel = lazy(() =>
  import("../terminal/TerminalPanel").then((all) => ({ default: all.TerminalPanel })),
);

export function SidePanel({ sessionId }: { sessionId: string }) {
  const tab = useStore(sideStore, (state) => state.tab);
  const setTab = (next: Tab) => sideStore.setState({ tab: next });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file belongs to its session
  useEffect(() => sideStore.setState({ file: null }), [sessionId]);
  const changes = useChanges(sessionId);
  const files = changes.data?.files.length ?? 0;
  const counts: Partial<Record<Tab, number>> = { Diff: files };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: TABS.length - 1, ArrowRight: 1 }[event.key];
    const next = step && TABS[(TABS.indexOf(tab) + step) % TABS.length];
    if (!next) return;
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div className="side vertical">
      <div className="tabs-head line gap-0 no-shrink ruled">
        <div className="tabs flex gap-0" role="tablist" aria-label="About this session" onKeyDown={onKey}>
          {TABS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="side-panel"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => setTab(name)}
            >
              {name}
              {!!counts[name] && <span className="count">{counts[name]}</span>}
            </button>
          ))}
        </div>
        <button
          type="button"
          className="icon-button drawer-close push-end"
          aria-label="Close panel"
          onClick={closeDrawers}
        >
          <Icon name="close" />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <div className="tab-panel" role="tabpanel" id="side-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === "Diff" && (
          <>
            <Changes sessionId={sessionId} changes={changes} />
            {files > 0 && <Downloads sessionId={sessionId} />}
            <WorkingCopy sessionId={sessionId} />
            <PullRequestPanel sessionId={sessionId} />
          </>
        )}
        {tab === "Files" && (
          <Suspense fallback={<Skeleton rows={6} label="Loading files" />}>
            <FilesPanel sessionId={sessionId} />
          </Suspense>
        )}
        {tab === "Terminal" && (
          <Suspense fallback={<Skeleton rows={4} label="Loading terminals" />}>
            <TerminalPanel sessionId={sessionId} />
          </Suspense>
        )}
        {tab === "Details" && <Details sessionId={sessionId} />}
      </div>
    </div>
  );
}
