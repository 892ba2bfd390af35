import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from "react";
import { Icon, type IconName } from "../ui/Icon";
import { isFocusLost } from "../ui/useFocusIfLost";
import "./why.css";

interface RequestCardProps {
  kind: "permission" | "question";
  id: string;
  state: string;
  icon: IconName;
  title: string;
  children: ReactNode;
}

/** The frame of a permission request or question. It can be focused, as links lead to it. */
export function RequestCard({ kind, id, state, icon, title, children }: RequestCardProps) {
  const titleId = useId();
  const card = useFocusKept(state);
  return (
    <article
      ref={card}
      className={`card waiting-box stack gap-12 ${kind}-card`}
      data-testid={`${kind}-card`}
      data-state={state}
      data-request={id}
      tabIndex={-1}
      aria-labelledby={titleId}
    >
      <h2 id={titleId} className="line">
        <Icon name={icon} />
        {title}
      </h2>
      {children}
    </article>
  );
}

/**
 * Keeps the keyboard where the person was: at the card when it is answered and its buttons are gone; at another open
 * card, or else the page, when the card itself is gone. A browser takes the focus from a button that gets disabled
 * without an event, so what the card had is noted.
 */
function useFocusKept(state: string): RefObject<HTMLElement | null> {
  const card = useRef<HTMLElement>(null);
  const shown = useRef(state);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (shown.current !== state && hadFocus.current && isFocusLost())
      card.current?.focus({ preventScroll: true });
    shown.current = state;
  }, [state]);
  useLayoutEffect(() => {
    const own = card.current;
    const note = ({ target }: FocusEvent | PointerEvent) => {
      hadFocus.current = target instanceof Node && !!own?.contains(target);
    };
    document.addEventListener("focusin", note);
    document.addEventListener("pointerdown", note);
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", note);
      if (own && hadFocus.current && (isFocusLost() || own.contains(document.activeElement)))
        focusNextTo(own);
    };
  }, []);
  return card;
}

function focusNextTo(card: HTMLElement): void {
  const others = [...document.querySelectorAll<HTMLElement>('article.card[data-state="open"]')];
  const page = document.getElementById("main");
  if (page) page.tabIndex = -1;
  (others.find((other) => other !== card) ?? page)?.focus({ preventScroll: true });
}
