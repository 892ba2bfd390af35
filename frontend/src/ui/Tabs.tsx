import * as Radix from "@radix-ui/react-tabs";
import { type ReactNode, useEffect, useRef } from "react";

interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly { name: Name; label: string; count?: number }[];
  selected: Name;
  onSelect: (name: Name) => void;
  /** What its stylesheet calls the row of tabs and the panel below it. */
  listClass?: string;
  panelClass?: string;
  /** Gives the panel this id, and each tab `tab-` and its name. */
  panelId?: string;
  /** Shown at the end of the row of tabs. */
  end?: ReactNode;
  children: ReactNode;
}

/** Tabs with their panel. Arrow keys, Home and End move between tabs. */
export function Tabs<Name extends string>({
  label,
  tabs,
  selected,
  onSelect,
  listClass = "page-tabs ruled",
  panelClass = "page-tab",
  panelId,
  end,
  children,
}: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  // On narrow screens the row scrolls; keep the selected tab in view.
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-name="${selected}"]`);
    tab?.scrollIntoView?.({ block: "nearest", inline: "center" });
  }, [selected]);
  const row = (
    <Radix.List ref={list} className={`tabs flex no-shrink ${listClass}`} aria-label={label}>
      {tabs.map((tab) => (
        <Radix.Trigger
          key={tab.name}
          value={tab.name}
          data-name={tab.name}
          {...(panelId
            ? { id: `tab-${tab.name}`, "aria-controls": tab.name === selected ? panelId : undefined }
            : {})}
        >
          {tab.label}
          {!!tab.count && <span className="count">{tab.count}</span>}
        </Radix.Trigger>
      ))}
    </Radix.List>
  );
  return (
    <Radix.Root className="tabs-root" value={selected} onValueChange={(name) => onSelect(name as Name)}>
      {end === undefined ? (
        row
      ) : (
        <div className="tabs-head line gap-0 no-shrink ruled">
          {row}
          {end}
        </div>
      )}
      <Radix.Content
        value={selected}
        className={panelClass}
        {...(panelId ? { id: panelId, "aria-labelledby": `tab-${selected}` } : {})}
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
