import { useAltKeys } from "../app/keys";

/**
 * Alt J and Alt K go to the next and the previous prompt, Alt E to the next failed call; after the last to the first. Alt Q
 * opens the last waiting prompt that the person can change.
 */
export function useJumpKeys(): void {
  const go = (what: string, step: 1 | -1) => () => {
    const found = [...document.querySelectorAll<HTMLElement>(`.conversation ${what}`)];
    const at = found.findIndex((element) => element.contains(document.activeElement));
    const from = at < 0 && step < 0 ? 0 : at;
    const next = found[(from + step + found.length) % found.length];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "start" });
  };
  const prompt = ".user-message";
  const changeQueued = () =>
    [...document.querySelectorAll<HTMLButtonElement>(".conversation .queued-change")].at(-1)?.click();
  useAltKeys({
    q: changeQueued,
    j: go(prompt, 1),
    k: go(prompt, -1),
    e: go('.tool[data-failed="true"] .tool-row', 1),
  });
}
