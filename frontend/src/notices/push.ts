// Turns push notices on and off in this browser. The service worker is registered on the click that turns them on, not
// before.
import { addPushBrowser, type NewPushBrowser, type PushBrowser, readPush } from "../api/push";
import { atPrefix, prefix } from "../lib/prefix";
import { readStored, writeStored } from "../lib/storage";

const STORED = "push"; // the address that the site has for this browser; null while push notices are off

/** The person dismissed the question for the permission, or the browser has no push service to reach. */
export class PushRefused extends Error {}

export const isPushOn = (): boolean => readStored(STORED) !== null;

const registration = () => navigator.serviceWorker?.getRegistration(atPrefix("/"));

/** Asks for the permission, has the browser make an address at its push service, and tells it to the site. */
export async function turnPushOn(publicKey: string): Promise<PushBrowser> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new PushRefused("Push notices stay off, because the browser was not allowed to show them.");
  await navigator.serviceWorker.register(atPrefix("/push-worker.js"), {
    scope: atPrefix("/"),
    updateViaCache: "none",
  });
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe(); // it may be of another person, or of an older key
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch((error: unknown) => {
      throw new PushRefused(`The push service of this browser cannot be reached. ${String(error)}`);
    });
  const browser = await addPushBrowser(described(subscription));
  writeStored(STORED, subscription.endpoint);
  keepPush();
  return browser;
}

/** Ends the subscription in this browser. The site is told by whoever calls. */
export async function turnPushOff(): Promise<void> {
  writeStored(STORED, null);
  const found = await registration();
  await (await found?.pushManager.getSubscription())?.unsubscribe();
  await found?.unregister();
}

/** The same before signing out, which no failure may prevent. The site forgets the browser by itself. */
export const forgetPush = (): Promise<void> => turnPushOff().catch(() => undefined);

function described(subscription: PushSubscription): NewPushBrowser {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint ?? "", p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" };
}

let isKept = false;

/** Opens pages that a click on a notice asks for, and tells the site when the browser has changed its address. */
export function keepPush(): void {
  if (isKept || !navigator.serviceWorker) return;
  isKept = true;
  navigator.serviceWorker.addEventListener("message", openPage);
  navigator.serviceWorker.startMessages();
  void compareWithSite().catch(() => undefined); // tried again when the next page loads
}

function openPage({ data, ports }: MessageEvent): void {
  if (data?.type !== "push.open" || typeof data.path !== "string") return;
  const address = new URL(atPrefix(`/${data.path}`), window.location.origin);
  const isOurs = address.origin === window.location.origin && address.pathname.startsWith(`${prefix}/`);
  if (!isOurs) return;
  window.history.pushState(null, "", address.href);
  ports[0]?.postMessage("shown");
}

/** Turns push notices off here if the site no longer sends any, and tells it a new address of the browser. */
async function compareWithSite(): Promise<void> {
  const known = (await readPush()).browsers.some((browser) => browser.is_current);
  const subscription = await (await registration())?.pushManager.getSubscription();
  if (!known || !subscription) return turnPushOff(); // removed elsewhere, signed in anew, or blocked in the browser
  if (subscription.endpoint === readStored(STORED)) return;
  await addPushBrowser(described(subscription));
  writeStored(STORED, subscription.endpoint);
}
