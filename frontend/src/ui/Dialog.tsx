import { type ReactNode, useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { Icon } from "./Icon";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Hides the title except for assistive technology. */
  hiddenTitle?: boolean;
  className?: string;
  children: ReactNode;
}

/**
 * A modal <dialog>: it traps the focus, restores it, and closes on Escape or a click outside. It belongs to no form
 * around it: Enter in one of its fields must not send a prompt.
 */
export function Dialog({ open, onClose, title, hiddenTitle = false, className = "", children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (open && dialog && !dialog.open) dialog.showModal();
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click only serves the backdrop; Escape is the dialog's own key
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
      onSubmit={(event) => event.stopPropagation()}
    >
      {open && (
        <div className="dialog-body vertical">
          {!hiddenTitle && (
            <header className="dialog-head line between ruled">
              <h2>{title}</h2>
              <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
                <Icon name="close" />
              </button>
            </header>
          )}
          {children}
        </div>
      )}
    </dialog>,
    document.body,
  );
}
