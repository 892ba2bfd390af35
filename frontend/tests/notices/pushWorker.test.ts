// The service worker, in a fake browser that records its calls.
import { beforeEach, expect, it, vi } from "vitest";
import CODE from "../../public/push-worker.js?raw";

const SCOPE = "https://site.example/agents/";

interface Page {
  url: string;
  focused?: boolean;
  visibilityState?: string;
  answers?: boolean;
}

const showNotification = vi.fn();
const openWindow = vi.fn();
const asked = vi.fn();

/** Starts the worker; `send` dispatches an event and waits for it. */
function start(pages: Page[] = []) {
  const listeners = new Map<string, (event: unknown) => void>();
  const clients = pages.map((page) => ({
    visibilityState: "hidden",
    focused: false,
    ...page,
    focus: async () => page,
    postMessage: (message: unknown, [port]: MessagePort[]) => {
      asked(page.url, message);
      if (page.answers) port?.postMessage("shown");
      port?.close();
    },
  }));
  const self = {
    registration: { scope: SCOPE, showNotification },
    clients: {
      matchAll: async () => clients.map((client) => Object.assign(client, { focus: async () => client })),
      openWindow,
    },
    skipWaiting: vi.fn(),
    addEventListener: (type: string, listener: (event: unknown) => void) => listeners.set(type, listener),
  };
  new Function("self", CODE)(self);
  return async (type: string, event: object) => {
    let work: Promise<unknown> = Promise.resolve();
    listeners.get(type)?.({ ...event, waitUntil: (promise: Promise<unknown>) => (work = promise) });
    await work;
  };
}

const NOTICE = { title: "An agent is waiting", text: "In “Tea”.", path: "sessions/ses_1#per_1", topic: "t" };
const pushed = (notice: unknown) => ({ data: { json: () => notice } });
const click = (path?: unknown) => ({ notification: { close: vi.fn(), data: { path } } });

beforeEach(() => vi.resetAllMocks());

it("shows a notice with its page, below the site's own address", async () => {
  await start()("push", pushed(NOTICE));
  expect(showNotification).toHaveBeenCalledWith("An agent is waiting", {
    body: "In “Tea”.",
    tag: "t",
    icon: `${SCOPE}static/icon-192.png`,
    data: { path: "sessions/ses_1#per_1" },
  });
});

it.each([
  ["nothing", null],
  ["no JSON", { json: () => JSON.parse("no") }],
  ["a list", { json: () => [] }],
])("shows something for %s, as browsers want it", async (_, data) => {
  await start()("push", { data });
  expect(showNotification.mock.calls[0]?.[1]?.data).toEqual({ path: "inbox" });
});

it.each(["https://evil.example/", "//evil.example/x", "../elsewhere", "/admin", "javascript:alert(1)", 7])(
  "never opens %s",
  async (path) => {
    await start()("push", pushed({ ...NOTICE, path }));
    const shown = showNotification.mock.calls[0]?.[1]?.data.path;
    expect(new URL(shown, SCOPE).href.startsWith(SCOPE)).toBe(true);
    await start()("notificationclick", click(path));
    expect(openWindow.mock.calls[0]?.[0].startsWith(SCOPE)).toBe(true);
  },
);

it("stays silent while the person looks at the page that it is about", async () => {
  const page = { url: `${SCOPE}sessions/ses_1`, focused: true, visibilityState: "visible" };
  await start([page])("push", pushed(NOTICE));
  expect(showNotification).not.toHaveBeenCalled();
  await start([{ ...page, url: `${SCOPE}sessions/ses_2` }])("push", pushed(NOTICE));
  expect(showNotification).toHaveBeenCalledTimes(1);
});

it("has an open page show the card, the one that is there already first", async () => {
  const pages = [{ url: `${SCOPE}inbox` }, { url: `${SCOPE}sessions/ses_1`, answers: true }];
  await start(pages)("notificationclick", click(NOTICE.path));
  expect(asked.mock.calls).toEqual([
    [`${SCOPE}sessions/ses_1`, { type: "push.open", path: "sessions/ses_1#per_1" }],
  ]);
  expect(openWindow).not.toHaveBeenCalled();
});

it("opens a window if no page is open, or none answers", async () => {
  await start()("notificationclick", click(NOTICE.path));
  vi.useFakeTimers();
  const clicked = start([{ url: `${SCOPE}inbox` }])("notificationclick", click(NOTICE.path));
  await vi.advanceTimersByTimeAsync(1_500);
  await clicked;
  vi.useRealTimers();
  expect(openWindow.mock.calls).toEqual([[`${SCOPE}sessions/ses_1#per_1`], [`${SCOPE}sessions/ses_1#per_1`]]);
});

it("answers no request of a page and keeps nothing", () => {
  expect(CODE).not.toMatch(/"fetch"|caches|indexedDB|importScripts/);
});
