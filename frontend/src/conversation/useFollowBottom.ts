import { useCallback, useEffect, useRef, useState } from "react";

const NEAR_BOTTOM_PIXELS = 48;

/** The last row of the last turn. Only there is news: older messages are added above. */
const lastRow = (content: HTMLElement): HTMLElement =>
  (content.lastElementChild?.lastElementChild ?? content.lastElementChild ?? content) as HTMLElement;

/**
 * Keeps the end in view while the person is at the bottom. Otherwise leaves the scroll position and sets
 * `hasNews`.
 */
export function useFollowBottom() {
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [hasNews, setNews] = useState(false);

  const toBottom = useCallback(() => {
    follows.current = true;
    setNews(false);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);

  const toThing = useCallback((thing: HTMLElement) => {
    follows.current = false;
    thing.scrollIntoView({ block: "center" });
  }, []);

  useEffect(() => {
    const frame = box.current;
    const inner = content.current;
    if (!frame || !inner) return;
    let last = lastRow(inner);
    let height = last.offsetHeight;
    let width = inner.offsetWidth;
    let lastTop = frame.scrollTop;
    const isNear = () => frame.scrollHeight - frame.scrollTop - frame.clientHeight < NEAR_BOTTOM_PIXELS;
    // Scroll events come late, when more text may have arrived. Only scrolling up stops following.
    const onScroll = () => {
      if (isNear()) follows.current = true;
      else if (frame.scrollTop < lastTop - 1) follows.current = false;
      lastTop = frame.scrollTop;
      if (follows.current) setNews(false);
    };
    // Rows that the person opens grow downward in view; only new content is followed.
    let opened = false;
    const onClick = (event: Event) => {
      opened = event.target instanceof Element && event.target.closest("[aria-expanded]") !== null;
    };
    const onSize = () => {
      const before = last;
      last = lastRow(inner);
      const wraps = inner.offsetWidth !== width; // a resize makes rows higher, which is no news
      width = inner.offsetWidth;
      const grew = last !== before || (!wraps && last.offsetHeight > height + 1);
      height = last.offsetHeight;
      if (opened) {
        opened = false;
        follows.current = isNear();
        return;
      }
      if (follows.current) frame.scrollTop = frame.scrollHeight;
      else if (grew) setNews(true);
    };
    const observer = new ResizeObserver(onSize);
    observer.observe(inner);
    observer.observe(frame);
    frame.addEventListener("scroll", onScroll, { passive: true });
    frame.addEventListener("click", onClick);
    frame.scrollTop = frame.scrollHeight;
    return () => {
      observer.disconnect();
      frame.removeEventListener("scroll", onScroll);
      frame.removeEventListener("click", onClick);
    };
  }, []);

  return { box, content, hasNews, toBottom, toThing };
}
