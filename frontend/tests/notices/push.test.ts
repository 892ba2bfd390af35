import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isPushOn, PushRefused, turnPushOff, turnPushOn } from "../../src/notices/push";
import { pushObstacle } from "../../src/notices/support";
import { serve } from "../support/render";

const BROWSER = {
  id: "psh_1",
  user_agent: "",
  service: "push.example",
  created_at: "2026-03-10T12:00:00Z",
  used_at: null,
  problem: "",
  is_current: true,
};
const subscription = {
  endpoint: "https://push.example/1",
  toJSON: () => ({ endpoint: "https://push.example/1", keys: { p256dh: "p", auth: "a" } }),
  unsubscribe: vi.fn(async () => true),
};
const pushManager = { getSubscription: vi.fn(), subscribe: vi.fn() };
const worker = {
  register: vi.fn(),
  ready: Promise.resolve({ pushManager }),
  getRegistration: vi.fn(async () => ({ pushManager, unregister: vi.fn() })),
  addEventListener: vi.fn(),
  startMessages: vi.fn(),
};

const FakeNotification = { permission: "default", requestPermission: vi.fn() };

beforeEach(() => {
  vi.stubGlobal("Notification", FakeNotification);
  vi.stubGlobal("PushManager", class {});
  vi.stubGlobal("isSecureContext", true);
  Object.defineProperty(navigator, "serviceWorker", { value: worker, configurable: true });
  FakeNotification.permission = "default";
  FakeNotification.requestPermission.mockResolvedValue("granted");
  pushManager.getSubscription.mockResolvedValue(null);
  pushManager.subscribe.mockResolvedValue(subscription);
  worker.getRegistration.mockResolvedValue({ pushManager, unregister: vi.fn() });
});

afterEach(async () => {
  await turnPushOff();
  vi.clearAllMocks();
  vi.unstubAllGlobals();
});

it("registers the worker and tells the site the address only after the person has allowed it", async () => {
  const asked = serve({
    "POST /api/v1/me/push/browsers": { status: 201, body: BROWSER },
    "GET /api/v1/me/push": { body: { public_key: "key", browsers: [BROWSER] } },
  });
  await turnPushOn("key");
  expect(worker.register).toHaveBeenCalledWith("/push-worker.js", { scope: "/", updateViaCache: "none" });
  expect(pushManager.subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: "key" });
  expect(asked[0]).toMatchObject({
    method: "POST",
    body: { endpoint: "https://push.example/1", p256dh: "p", auth: "a" },
  });
  expect(isPushOn()).toBe(true);
  await turnPushOff();
  expect(isPushOn()).toBe(false);
});

it("stays off, and registers nothing, if the person does not allow it", async () => {
  FakeNotification.requestPermission.mockResolvedValue("denied");
  await expect(turnPushOn("key")).rejects.toThrow(PushRefused);
  expect(worker.register).not.toHaveBeenCalled();
  expect(isPushOn()).toBe(false);
});

it("says so if the push service cannot be reached", async () => {
  pushManager.subscribe.mockRejectedValue(new Error("push service not available"));
  await expect(turnPushOn("key")).rejects.toThrow("cannot be reached");
  expect(isPushOn()).toBe(false);
});

it("names what stands in the way", () => {
  expect(pushObstacle()).toBeNull();
  FakeNotification.permission = "denied";
  expect(pushObstacle()).toBe("blocked");
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)");
  vi.stubGlobal("PushManager", undefined);
  Reflect.deleteProperty(globalThis, "PushManager");
  expect(pushObstacle()).toBe("install");
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue("Mozilla/5.0 (X11; Linux x86_64)");
  expect(pushObstacle()).toBe("missing");
  vi.stubGlobal("isSecureContext", false);
  expect(pushObstacle()).toBe("insecure");
});
