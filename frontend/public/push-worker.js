// Shows push notices, and opens their page on a click. It answers no requests of pages and keeps nothing, so pages are
// always those of the server. Registered when a person turns push notices on, and served at the root of the site.
const OWN_ANSWER_MS = 1_000; // within which an open page says that it shows the page itself

const home = () => new URL("./", self.registration.scope);

/** The address of a page of this site; the inbox if the notice names none, or one elsewhere. */
function addressOf(path) {
  try {
    const address = new URL(String(path ?? "inbox"), home());
    if (address.href.startsWith(home().href)) return address;
  } catch {
    // What is no address opens the inbox.
  }
  return new URL("inbox", home());
}

function read(data) {
  try {
    const notice = data.json();
    if (typeof notice?.title === "string") return notice;
  } catch {
    // A browser wants something shown for each push, whatever came.
  }
  return { title: "Something waits in agentsite", text: "", path: "inbox", topic: "unknown" };
}

const openPages = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });
const isAt = (page, address) => new URL(page.url).pathname === address.pathname;

async function show(data) {
  const notice = read(data);
  const address = addressOf(notice.path);
  const pages = await openPages();
  if (pages.some((page) => page.focused && page.visibilityState === "visible" && isAt(page, address))) return;
  await self.registration.showNotification(notice.title, {
    body: String(notice.text ?? ""),
    tag: String(notice.topic ?? ""),
    icon: new URL("static/icon-192.png", home()).href,
    data: { path: address.href.slice(home().href.length) },
  });
}

/** Asks an open page to show the path without loading anew, so that nothing typed there is lost. */
function ask(page, path) {
  return new Promise((answer) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => answer(true);
    setTimeout(() => answer(false), OWN_ANSWER_MS);
    page.postMessage({ type: "push.open", path }, [port2]);
  });
}

async function open(path) {
  const address = addressOf(path);
  const pages = (await openPages()).filter((page) => page.url.startsWith(home().href));
  const best = pages.find((page) => isAt(page, address)) ?? pages.find((page) => page.focused) ?? pages[0];
  if (best) {
    const shown = await best.focus().catch(() => null);
    if (shown && (await ask(shown, path))) return;
  }
  await self.clients.openWindow(address.href);
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("push", (event) => event.waitUntil(show(event.data)));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path));
});
