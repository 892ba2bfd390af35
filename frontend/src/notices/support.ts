// Checks whether this browser can get push notices, and finds the obstacle if not.

export type PushObstacle = "insecure" | "install" | "missing" | "blocked";

/** What a person reads in place of the button that turns push notices on. */
export const OBSTACLES: Readonly<Record<PushObstacle, string>> = {
  insecure:
    "Browsers allow push notices only on sites with https. Ask the operators of this site for its https address.",
  install:
    "On an iPhone or iPad, install the site first: Share, then Add to Home Screen. Then open it from there and come back to this page.",
  missing: "This browser has no push notices. E-mails reach you everywhere.",
  blocked:
    "Notifications of this site are blocked in this browser. Allow them in its settings for this site.",
};

const isApple = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1); // an iPad that poses as a Mac

const isInstalled = () =>
  window.matchMedia?.("(display-mode: standalone)").matches ||
  (navigator as { standalone?: boolean }).standalone === true;

/** Returns why push notices cannot be turned on in this browser; null if they can. */
export function pushObstacle(): PushObstacle | null {
  if (!window.isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window))
    return isApple() && !isInstalled() ? "install" : "missing";
  return Notification.permission === "denied" ? "blocked" : null;
}
