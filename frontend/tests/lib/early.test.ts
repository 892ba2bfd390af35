import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import script from "../../public/early.js?raw";
import { readMe } from "../../src/api/endpoints";
import { connectMe } from "../../src/store/me";
import { connectSession, FIRST_MESSAGES, type SessionConnection } from "../../src/store/session";
import { snapshot } from "../support/builders";
import { FakeSocket } from "../support/socket";

const ME = { email: "ada@example.org" };
const opened: SessionConnection[] = [];
const send = vi.fn();

function load(path: string) {
  window.history.replaceState(null, "", path);
  new Function(script)();
}

function open(id: string): SessionConnection {
  const connection = connectSession(id, { onSignedOut: vi.fn(), onRefused: vi.fn() });
  opened.push(connection);
  return connection;
}

const toSession = (id: string) =>
  FakeSocket.all.filter((socket) => socket.url.endsWith(`/ws/sessions/${id}`));
const first = () => toSession("ses_1")[0] as FakeSocket;

beforeEach(() => {
  FakeSocket.all = [];
  send.mockReset();
  send.mockImplementation(async () => new Response(JSON.stringify(ME)));
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("fetch", send);
});

afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
  window.agentsiteEarly = undefined;
  window.history.replaceState(null, "", "/");
  vi.unstubAllGlobals();
});

describe("what is begun before the scripts are loaded", () => {
  it("is who the person is, which is asked for once", async () => {
    load("/");
    await expect(readMe()).resolves.toEqual(ME);
    expect(send).toHaveBeenCalledTimes(1);
    await readMe();
    expect(send).toHaveBeenCalledTimes(2);
  });

  it("is asked for again by the page if it fails", async () => {
    send.mockRejectedValueOnce(new TypeError("no line"));
    load("/");
    await expect(readMe()).rejects.toMatchObject({ code: "offline" });
    await expect(readMe()).resolves.toEqual(ME);
  });

  it("is the conversation of a session, whose snapshot the page takes over", () => {
    load("/sessions/ses_1");
    first().accept();
    first().say({ type: "snapshot", snapshot: snapshot() });
    const { store } = open("ses_1");
    expect(store.getState()).toMatchObject({ link: "live", seq: 10 });
    expect(toSession("ses_1")).toHaveLength(1);
    expect(first().sent).toEqual([{ id: "early", type: "hello", after: null, limit: FIRST_MESSAGES }]);
  });

  it("is a connection that the page greets if it opens later", () => {
    load("/sessions/ses_1");
    const { store } = open("ses_1");
    first().accept();
    expect(first().frames("hello")).toHaveLength(1);
    first().say({ type: "snapshot", snapshot: snapshot() });
    expect(store.getState().seq).toBe(10);
    expect(toSession("ses_1")).toHaveLength(1);
  });

  it("is a connection that the page replaces if it was closed meanwhile, or is of another session", () => {
    load("/sessions/ses_1");
    first().end(1006);
    open("ses_1");
    expect(toSession("ses_1")).toHaveLength(2);
    open("ses_2");
    expect(toSession("ses_2")).toHaveLength(1);
  });

  it("is the stream of the person, whose lists are read once because nothing was missed", () => {
    load("/");
    FakeSocket.last().accept();
    const onReady = vi.fn();
    const close = connectMe({ onNotice: vi.fn(), onReady, onSignedOut: vi.fn() });
    expect(onReady).toHaveBeenCalledTimes(1);
    expect(FakeSocket.all).toHaveLength(1);
    expect(FakeSocket.last().frames("hello")).toHaveLength(1);
    close();
  });

  it("is nothing on the page of a share link, whose readers need not be signed in", () => {
    load("/shared/a-secret");
    expect(send).not.toHaveBeenCalled();
    expect(FakeSocket.all).toHaveLength(0);
  });
});
