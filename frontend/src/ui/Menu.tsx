import { lazy, type ReactNode, Suspense, useId, useRef, useState } from "react";
import type { MenuEntries } from "./menuEntries";

interface MenuProps {
  /** What screen readers hear of the button. */
  label: string;
  /** The name of the list; that of the button unless it says more than that. */
  name?: string;
  className: string;
  title?: string;
  testId?: string;
  listClass?: string;
  side?: "top" | "bottom";
  /** Text above the entries. */
  head?: ReactNode;
  /** The entries, made when the menu is open. */
  entries: () => MenuEntries;
  onOpen?: () => void;
  /** What is on the button. */
  children: ReactNode;
}

const loadPopup = () => import("./MenuPopup");
const Popup = lazy(() => loadPopup().then(({ MenuPopup }) => ({ default: MenuPopup })));
const preload = () => void loadPopup().catch(() => undefined);

/** A button with a menu. The library behind the menu is loaded when the pointer or the focus comes near. */
export function Menu({
  label,
  name = label,
  className,
  title,
  testId,
  listClass = "",
  side = "bottom",
  head,
  entries,
  onOpen,
  children,
}: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        title={title}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        data-testid={testId}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => {
          if (!isOpen) onOpen?.();
          setOpen(!isOpen);
        }}
      >
        {children}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Popup
            id={id}
            name={name}
            button={button}
            listClass={listClass}
            side={side}
            head={head}
            entries={entries()}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
