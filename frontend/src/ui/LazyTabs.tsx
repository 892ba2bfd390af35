import { type ReactNode, Suspense } from "react";
import { useLocation } from "wouter";
import { Skeleton } from "./Notice";
import { Tabs } from "./Tabs";

interface LazyTabsProps<Tab extends { name: string; label: string }> {
  label: string;
  tabs: readonly Tab[];
  /** Name of the tab in the URL; the first tab is shown if there is no such tab. */
  requested: string | undefined;
  pathOf: (name: string) => string;
  children: (tab: Tab) => ReactNode;
}

/** Tabs with a URL each, whose content is loaded when they are first shown. */
export function LazyTabs<Tab extends { name: string; label: string }>(props: LazyTabsProps<Tab>) {
  const { label, tabs, requested, pathOf, children } = props;
  const [, go] = useLocation();
  const shown = tabs.find((tab) => tab.name === requested) ?? tabs[0];
  if (!shown) return null;
  return (
    <Tabs
      label={label}
      tabs={tabs}
      selected={shown.name}
      onSelect={(name) => go(pathOf(name), { replace: true })}
    >
      <Suspense fallback={<Skeleton rows={6} label={`Loading ${shown.label.toLowerCase()}`} />}>
        {children(shown)}
      </Suspense>
    </Tabs>
  );
}
