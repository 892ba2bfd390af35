import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";

interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly { name: Name; label: string; count?: number }[];
  selected: Name;
  onSelect: (name: Name) => void;
  children: ReactNode;
}

/** Tabs with their panel. Arrow keys, Home and End move between tabs. */
export function Tabs<Name extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // On narrow screens the row scrolls; keep the selected tab in view.
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-name="${selected}"]`);
    tab?.scrollIntoView?.({ block: "nearest", inline: "center" });
  }, [selected]);
  const onKey = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.name === selected);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[
      event.key
    ];
    const next = to === undefined ? undefined : tabs[to % tabs.length];
    if (!next) return;
    event.preventDefault();
    onSelect(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <>
      <div
        ref={list}
        className="tabs flex gap-4 page-tabs no-shrink ruled"
        role="tablist"
        aria-label={label}
        onKeyDown={onKey}
      >
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            data-name={tab.name}
            aria-selected={selected === tab.name}
            aria-controls={`${id}-panel`}
            tabIndex={selected === tab.name ? 0 : -1}
            onClick={() => onSelect(tab.name)}
          >
            {tab.label}
            {!!tab.count && <span className="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div className="page-tab" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </>
  );
}
