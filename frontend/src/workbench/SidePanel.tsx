import { lazy, Suspense, useEffect } from "react";
import { useStore } from "zustand";
import { closeDrawers } from "../app/shellStore";
import { PullRequestPanel } from "../repositories/PullRequestPanel";
import { WorkingCopy } from "../repositories/WorkingCopy";
import { Icon } from "../ui/Icon";
import { Skeleton } from "../ui/Notice";
import { Tabs } from "../ui/Tabs";
import { Changes, useChanges } from "./Changes";
import { Details } from "./Details";
import { Downloads } from "./Downloads";
import { showTab, sideStore, TABS, type Tab } from "./sideStore";
import "./SidePanel.css";

const FilesPanel = lazy(() => import("../files/FilesPanel").then((all) => ({ default: all.FilesPanel })));
const TerminalPanel = lazy(() =>
  import("../terminal/TerminalPanel").then((all) => ({ default: all.TerminalPanel })),
);
const PreviewPanel = lazy(() =>
  import("../preview/PreviewPanel").then((all) => ({ default: all.PreviewPanel })),
);

export function SidePanel({ sessionId }: { sessionId: string }) {
  const tab = useStore(sideStore, (state) => state.tab);
  const setTab = (next: Tab) => sideStore.setState({ tab: next });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file belongs to its session
  useEffect(() => sideStore.setState({ file: null }), [sessionId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is to a session
  useEffect(() => {
    if (window.location.hash.startsWith("#preview=")) showTab("Preview");
  }, [sessionId]);
  const changes = useChanges(sessionId);
  const files = changes.data?.files.length ?? 0;
  const counts: Partial<Record<Tab, number>> = { Diff: files };
  return (
    <div className="side vertical">
      <Tabs
        label="About this session"
        tabs={TABS.map((name) => ({ name, label: name, count: counts[name] ?? 0 }))}
        selected={tab}
        onSelect={setTab}
        listClass="gap-0"
        panelClass="tab-panel"
        panelId="side-panel"
        end={
          <button
            type="button"
            className="icon-button drawer-close push-end"
            aria-label="Close panel"
            onClick={closeDrawers}
          >
            <Icon name="close" />
          </button>
        }
      >
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
        {tab === "Preview" && (
          <Suspense fallback={<Skeleton rows={4} label="Loading ports" />}>
            <PreviewPanel key={sessionId} sessionId={sessionId} />
          </Suspense>
        )}
        {tab === "Details" && <Details sessionId={sessionId} />}
      </Tabs>
    </div>
  );
}
