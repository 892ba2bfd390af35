import * as Tooltip from "@radix-ui/react-tooltip";
import { useEffect, useRef, useState } from "react";

const WAIT_MS = 500;
const WITH_TIP = ".icon-button[aria-label], [title]:not(iframe)";

interface Tip {
  of: HTMLElement;
  text: string;
  place: DOMRect;
}

/**
 * The words of buttons that show only an icon, and what `title` says, beside what the pointer rests on or the keyboard is
 * at. Browsers show titles to pointers only. While a tip is shown its element has no title, so that the browser adds none.
 */
export function Tips() {
  const [tip, setTip] = useState<Tip | null>(null);
  const shown = useRef<{ of: HTMLElement; title: string | null } | null>(null);
  useEffect(() => {
    let timer = 0;
    const hide = () => {
      clearTimeout(timer);
      const before = shown.current;
      shown.current = null;
      if (before?.title && !before.of.hasAttribute("title")) before.of.setAttribute("title", before.title);
      setTip(null);
    };
    const showSoon = (target: EventTarget | null, wait: number) => {
      const of = target instanceof Element ? target.closest<HTMLElement>(WITH_TIP) : null;
      if (of && of === shown.current?.of) return;
      hide();
      const title = of?.getAttribute("title") ?? null;
      const text = title || of?.getAttribute("aria-label") || "";
      if (!of || text === "" || of.getAttribute("aria-expanded") === "true") return;
      shown.current = { of, title };
      timer = window.setTimeout(() => {
        if (!of.isConnected) return hide();
        of.removeAttribute("title");
        setTip({ of, text, place: of.getBoundingClientRect() });
      }, wait);
    };
    const onOver = (event: PointerEvent) => {
      if (event.pointerType === "mouse" && !inTip(event.target)) showSoon(event.target, WAIT_MS);
    };
    const onFocus = (event: FocusEvent) => {
      const target = event.target;
      if (target instanceof Element && target.matches(":focus-visible") && !isField(target))
        showSoon(target, 0);
      else hide();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") hide();
    };
    document.addEventListener("pointerover", onOver);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", hide);
    document.addEventListener("keydown", onKey, true);
    for (const kind of ["pointerdown", "scroll"]) document.addEventListener(kind, hide, true);
    return () => {
      hide();
      document.removeEventListener("pointerover", onOver);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("keydown", onKey, true);
      for (const kind of ["pointerdown", "scroll"]) document.removeEventListener(kind, hide, true);
    };
  }, []);
  if (!tip) return null;
  const { left, top, width, height } = tip.place;
  return (
    <Tooltip.Provider>
      <Tooltip.Root open>
        <Tooltip.Trigger asChild>
          <span className="tip-place" style={{ left, top, width, height }} />
        </Tooltip.Trigger>
        <Tooltip.Portal container={tip.of.closest("dialog")}>
          <Tooltip.Content className="tip small" side="bottom" sideOffset={6} collisionPadding={8}>
            {tip.text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}

const inTip = (target: EventTarget | null) => target instanceof Element && target.closest(".tip") !== null;
const isField = (target: Element) => target.matches("input, textarea, select");
