// Side columns, resizable with the pointer or arrow keys. They are drawers on narrow screens.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { useStore } from "zustand";
import { closeDrawers, shellStore } from "../app/shellStore";
import { readStored, writeStored } from "../lib/storage";
import "./workbench.css";

interface ColumnProps {
  side: "left" | "right";
  label: string;
  initial: number;
  least: number;
  most: number;
  children: ReactNode;
}

export const LeftColumn = ({ children }: { children: ReactNode }) => (
  <Column side="left" label="Sidebar" initial={264} least={200} most={400}>
    {children}
  </Column>
);

export const RightColumn = ({ children }: { children: ReactNode }) => (
  <Column side="right" label="Diff, files and details" initial={420} least={300} most={900}>
    {children}
  </Column>
);

function Column({ side, label, initial, least, most, children }: ColumnProps) {
  const isOpen = useStore(shellStore, (state) => state[side]);
  const isDrawerOpen = useStore(shellStore, (state) =>
    side === "left" ? state.leftDrawer : state.rightDrawer,
  );
  const [width, setWidth] = useState(() => Number(readStored(`${side}.width`)) || initial);
  const resize = (next: number) => {
    const bounded = Math.round(Math.min(most, Math.max(least, next)));
    setWidth(bounded);
    writeStored(`${side}.width`, String(bounded));
  };
  return (
    <>
      {isDrawerOpen && (
        <button type="button" className="drawer-shade" aria-label={`Close ${label}`} onClick={closeDrawers} />
      )}
      <aside
        className={`column no-shrink column-${side}`}
        aria-label={label}
        data-open={isOpen}
        data-drawer={isDrawerOpen}
        style={{ "--column-width": `${width}px` } as React.CSSProperties}
        onKeyDown={(event) => {
          if (event.key === "Escape") closeDrawers();
        }}
      >
        {children}
        <Separator side={side} label={label} width={width} least={least} most={most} onResize={resize} />
      </aside>
    </>
  );
}

interface SeparatorProps extends Pick<ColumnProps, "side" | "label" | "least" | "most"> {
  width: number;
  onResize: (width: number) => void;
}

function Separator({ side, label, width, least, most, onResize }: SeparatorProps) {
  const sign = side === "left" ? 1 : -1;
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const handle = event.currentTarget;
    const start = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const move = (next: globalThis.PointerEvent) => onResize(width + sign * (next.clientX - start));
    const end = () => handle.removeEventListener("pointermove", move);
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", end, { once: true });
    handle.addEventListener("pointercancel", end, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 16, ArrowLeft: -16 }[event.key];
    if (!step) return;
    event.preventDefault();
    onResize(width + sign * step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> cannot be dragged or focused
    <div
      className="separator"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
