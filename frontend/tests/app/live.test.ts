import { QueryObserver } from "@tanstack/react-query";
import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { notifyStore, useMyStream } from "../../src/app/live";
import { keys, queryClient } from "../../src/app/queries";
import { session } from "../support/builders";
import { FakeSocket } from "../support/socket";

const { noteNotice } = vi.hoisted(() => ({ noteNotice: vi.fn() }));
vi.mock("../../src/notices/shown", () => ({ noteNotice }));

beforeEach(() => {
  vi.useFakeTimers(); // a refresh that is put off must not run in the next test
  noteNotice.mockReset();
  vi.stubGlobal("WebSocket", FakeSocket);
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

it("has notices shown only where the person has turned that on", async () => {
  const said = { type: "notice", session_id: "ses_1", kind: "session.updated", data: session() };
  FakeSocket.last().say(said);
  await vi.waitFor(() => expect(noteNotice).toHaveBeenCalledWith(said));
  notifyStore.setState({ on: false });
  FakeSocket.last().say(said);
  await vi.advanceTimersByTimeAsync(10);
  expect(noteNotice).toHaveBeenCalledTimes(1);
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
