import { QueryObserver } from "@tanstack/react-query";
import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { notifyDoneStore, notifyStore, useMyStream } from "../../src/app/live";
import { keys, queryClient } from "../../src/app/queries";
import { question, request, session } from "../support/builders";
import { FakeSocket } from "../support/socket";

const shown = vi.fn();
class FakeNotification {
  static permission = "granted";
  constructor(title: string, options: { body: string }) {
    shown(title, options.body);
  }
}

beforeEach(() => {
  vi.useFakeTimers(); // a refresh that is put off must not run in the next test
  shown.mockReset();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("Notification", FakeNotification);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  notifyStore.setState({ on: true });
  renderHook(useMyStream);
  FakeSocket.last().accept();
});

afterEach(() => {
  cleanup();
  vi.clearAllTimers();
  vi.useRealTimers();
  notifyStore.setState({ on: false });
  vi.unstubAllGlobals();
});

it("shows a notification with what is asked", () => {
  const notice = { type: "notice", session_id: "ses_1" };
  FakeSocket.last().say({ ...notice, kind: "permission.asked", data: request({ title: "Run the tests" }) });
  const questions = question().questions.map((item) => ({
    ...item,
    question: "Which one?",
    header: "Choice",
  }));
  FakeSocket.last().say({ ...notice, kind: "question.asked", data: question({ questions }) });
  FakeSocket.last().say({ ...notice, kind: "session.updated", data: session() });
  expect(shown.mock.calls).toEqual([
    ["An agent needs your permission", "Run the tests"],
    ["An agent has a question for you", "Which one?"],
  ]);
});

it("shows the end of work in one's own sessions to those who want it, once", () => {
  const say = (data: Parameters<typeof session>[0]) =>
    FakeSocket.last().say({
      type: "notice",
      session_id: "ses_1",
      kind: "session.updated",
      data: session({ title: "Fix it", ...data }),
    });
  const mine = { created_by: { id: "usr_me", name: "Me", email: "me@example.org" } };
  const work = (data: Parameters<typeof session>[0]) => {
    say({ ...data, status: "running" });
    say({ ...data, status: "waiting" });
    say({ ...data, status: "idle" });
    say({ ...data, status: "idle" });
  };
  queryClient.setQueryData(keys.me, { user: { id: "usr_me" } });
  work(mine);
  expect(shown).not.toHaveBeenCalled();

  notifyDoneStore.setState({ on: true });
  work({ created_by: null });
  work({ ...mine, parent_id: "ses_0" });
  expect(shown).not.toHaveBeenCalled();
  work(mine);
  expect(shown.mock.calls).toEqual([["The work in your session has ended", "Fix it"]]);
  notifyDoneStore.setState({ on: false });
  queryClient.removeQueries({ queryKey: keys.me });
});

it("asks again for what may have been missed, not for sessions that the page has just read", async () => {
  const asked = vi.fn(async () => ({ items: [] }));
  const lists = [keys.sessions(), keys.requests, keys.questions];
  const watched = lists.map((queryKey) =>
    new QueryObserver(queryClient, { queryKey, queryFn: asked }).subscribe(() => {}),
  );
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(asked).toHaveBeenCalledTimes(3);

  renderHook(useMyStream);
  FakeSocket.last().accept();
  expect(asked).toHaveBeenCalledTimes(5);
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0));
  FakeSocket.last().accept();
  expect(asked).toHaveBeenCalledTimes(8);
  for (const stop of watched) stop();
  queryClient.clear();
});

it("asks at the first connection for what was read long before", async () => {
  const asked = vi.fn(async () => ({ items: [] }));
  queryClient.setQueryData(keys.sessions(), { items: [] }, { updatedAt: Date.now() - 60_000 });
  const options = { queryKey: keys.sessions(), queryFn: asked, refetchOnMount: false };
  const stop = new QueryObserver(queryClient, options).subscribe(() => {});
  expect(asked).not.toHaveBeenCalled();
  renderHook(useMyStream);
  FakeSocket.last().accept();
  expect(asked).toHaveBeenCalledTimes(1);
  stop();
  queryClient.clear();
});
