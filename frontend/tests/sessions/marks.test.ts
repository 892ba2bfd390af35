import { QueryObserver } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { keys, queryClient } from "../../src/app/queries";
import { useFreshLists } from "../../src/sessions/freshLists";
import { noteSeen } from "../../src/sessions/marks";
import { serve } from "../support/render";

const KEY = [...keys.sessionLists, "marks"];
const row = (session_id: string, pinned: boolean) => ({ session_id, pinned, unread: true });
const ROWS = { items: [row("ses_1", false), row("ses_2", true), row("ses_3", false)] };
const LEFT = [{ ...row("ses_2", true), unread: false }, row("ses_3", false)];

afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("shows a session as read without asking for all marks", async () => {
  const asked = serve({});
  queryClient.setQueryData(KEY, ROWS);
  await noteSeen("ses_1");
  await noteSeen("ses_2");
  expect(queryClient.getQueryData(KEY)).toEqual({ items: LEFT });
  expect(asked).toEqual([]);
});

it("changes the first answer, which is on its way", async () => {
  const asked = serve({ "GET /api/v1/session-marks": { body: { ...ROWS, next_cursor: null } } });
  const queryFn = () => fetch("/api/v1/session-marks").then((answer) => answer.json());
  const stop = new QueryObserver(queryClient, { queryKey: KEY, queryFn }).subscribe(() => {});
  await noteSeen("ses_1");
  expect(queryClient.getQueryData(KEY)).toMatchObject({
    items: [{ session_id: "ses_2" }, { session_id: "ses_3" }],
  });
  expect(asked).toHaveLength(1);
  stop();
});

it("asks again instead of an answer that is on its way and may be older", async () => {
  queryClient.setQueryData(KEY, ROWS);
  const queryFn = vi.fn(async () => ({ items: [] }));
  const stop = new QueryObserver(queryClient, { queryKey: KEY, queryFn, staleTime: 0 }).subscribe(() => {});
  await noteSeen("ses_1");
  expect(queryFn).toHaveBeenCalledTimes(2);
  expect(queryClient.getQueryData(KEY)).toEqual({ items: [] });
  stop();
});

it("reads the lists again when the session on screen changes, not when it is loaded", () => {
  const asked = vi.spyOn(queryClient, "invalidateQueries");
  const shown = renderHook(({ title, status }) => useFreshLists(title, status), {
    initialProps: { title: "", status: undefined as string | undefined },
  });
  shown.rerender({ title: "Fix it", status: "idle" });
  expect(asked).not.toHaveBeenCalled();
  shown.rerender({ title: "Fix it", status: "running" });
  expect(asked).toHaveBeenCalledTimes(1);
});
