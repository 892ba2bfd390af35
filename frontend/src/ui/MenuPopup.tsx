import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { type FocusEvent, type Ref, type RefObject, useLayoutEffect, useRef } from "react";
import { Link } from "wouter";
import { Icon } from "./Icon";
import { LINE, type MenuEntries, type MenuEntry } from "./menuEntries";

interface PopupProps {
  id: string;
  name: string;
  button: RefObject<HTMLButtonElement | null>;
  listClass: string;
  side: "top" | "bottom";
  head: React.ReactNode;
  entries: MenuEntries;
  onClose: () => void;
}

/** The open list of a menu, beside its button. It is modal to nobody: a press elsewhere closes it and counts. */
export function MenuPopup({ id, name, button, listClass, side, head, entries, onClose }: PopupProps) {
  const isEntered = useRef(false);
  const isLeft = useRef(false);
  const enter = (event: FocusEvent<HTMLElement>) => {
    if (isEntered.current || event.target !== event.currentTarget) return;
    isEntered.current = true;
    const list = event.currentTarget;
    const first =
      list.querySelector<HTMLElement>('[aria-checked="true"]') ??
      list.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])');
    first?.focus();
  };
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        <Borrowed button={button} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          id={id}
          className={`menu ${listClass}`}
          aria-label={name}
          aria-labelledby={undefined}
          side={side}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          loop
          onFocus={enter}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!isLeft.current) button.current?.focus();
          }}
          onInteractOutside={(event) => {
            isLeft.current = true;
            if (button.current?.contains(event.target as Node)) event.preventDefault();
          }}
        >
          {head && <DropdownMenu.Label className="menu-head stack gap-0 ruled">{head}</DropdownMenu.Label>}
          {entries.map((entry, index) =>
            entry === LINE ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name
              <DropdownMenu.Separator key={index} className="menu-line" />
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: two projects may have one name
              <Entry key={`${index} ${entry.label}`} entry={entry} button={button} />
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** Gives the menu the button that is on the page already, in place of one of its own. */
function Borrowed({ button, ref }: { button: RefObject<HTMLButtonElement | null>; ref?: Ref<HTMLElement> }) {
  useLayoutEffect(() => {
    if (typeof ref !== "function") return;
    const forget = ref(button.current);
    return typeof forget === "function" ? forget : () => void ref(null);
  }, [button, ref]);
  return null;
}

function Entry({ entry, button }: { entry: MenuEntry } & Pick<PopupProps, "button">) {
  const props = {
    className: "menu-item",
    disabled: entry.isDisabled ?? false,
    onSelect: (event: Event) => {
      if (entry.stays) event.preventDefault();
      else button.current?.focus(); // a dialog that it opens gives the focus back to there
      void entry.run?.();
    },
  };
  const content = <EntryContent entry={entry} />;
  const isLink = entry.href !== undefined || entry.outside !== undefined;
  const inside = entry.href !== undefined ? <Link href={entry.href}>{content}</Link> : null;
  const link = inside ?? <a href={entry.outside}>{content}</a>;
  if (entry.isChosen === undefined) {
    return (
      <DropdownMenu.Item {...props} asChild={isLink}>
        {isLink ? link : content}
      </DropdownMenu.Item>
    );
  }
  return (
    <DropdownMenu.CheckboxItem {...props} role="menuitemradio" checked={entry.isChosen} asChild={isLink}>
      {isLink ? link : content}
    </DropdownMenu.CheckboxItem>
  );
}

function EntryContent({ entry }: { entry: MenuEntry }) {
  return (
    <>
      {entry.mark ?? (entry.icon && <Icon name={entry.icon} />)}
      <span className="menu-words stack gap-0 grow">
        <span className={entry.hint === undefined ? "ellipsis" : "ellipsis medium"}>{entry.label}</span>
        {entry.hint && <span className="menu-hint muted">{entry.hint}</span>}
      </span>
      {entry.detail && <span className="menu-detail ellipsis small muted">{entry.detail}</span>}
      {entry.isChosen && <Icon name="check" size={14} />}
    </>
  );
}
