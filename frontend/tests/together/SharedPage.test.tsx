import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { SharedPage } from "../../src/together/SharedPage";
import { failure, renderOnPage, serve } from "../support/render";

const streams: Stream[] = [];

/** Never says anything by itself. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 1;
  constructor() {
    super();
    streams.push(this);
  }
  refuse(): void {
    this.readyState = Stream.CLOSED;
    this.dispatchEvent(new Event("error"));
  }
  close(): void {
    this.readyState = Stream.CLOSED;
  }
}

beforeEach(() => {
  queryClient.clear();
  streams.length = 0;
  vi.useFakeTimers({ shouldAdvanceTime: true });
  vi.stubGlobal("EventSource", Stream);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

const said = (id: string, role: string, agent: string) => ({ id, role, agent, author: "Ann", parts: [] });

const TEA = { title: "Tea", reach: "public", expires_at: null, earlier: false, status: "idle", messages: [] };

/** The page of a link that opened once, with a way to say what the next reading brings. */
async function openOnce() {
  const answers = { next: { body: TEA } as ReturnType<typeof failure> };
  serve({ "GET /api/v1/shared/key": () => answers.next });
  renderOnPage(<SharedPage secret="key" />);
  await screen.findByRole("heading", { name: "Tea" });
  return answers;
}

it("keeps what was read while the site is away, and reads on when it is back", async () => {
  const answers = await openOnce();
  answers.next = new Error("no way there");
  streams[0]?.dispatchEvent(new Event("changed"));
  await pass(1_000);
  expect(screen.getByRole("status").textContent).toContain("continues automatically");
  expect(screen.getByRole("heading", { name: "Tea" })).toBeTruthy();
  answers.next = { body: { ...TEA, title: "Coffee" } };
  await pass(6_000);
  expect(screen.getByRole("heading", { name: "Coffee" })).toBeTruthy();
  expect(screen.queryByRole("status")).toBeNull();
});

it("asks again for a stream that was refused", async () => {
  await openOnce();
  streams[0]?.refuse();
  await pass(1_000);
  expect(streams).toHaveLength(1);
  await pass(5_000);
  expect(streams).toHaveLength(2);
});

it("shows nothing more and asks for nothing more once the link is revoked", async () => {
  const answers = await openOnce();
  answers.next = failure(404, "not_found", "This link opens nothing.");
  streams[0]?.refuse();
  await pass(12_000);
  expect(screen.getByRole("alert").textContent).toContain("This link opens nothing.");
  expect(screen.queryByRole("heading", { name: "Tea" })).toBeNull();
  expect(streams).toHaveLength(1);
});

it("names an agent once for all steps of its answer, and again after the next prompt", async () => {
  const messages = [
    said("msg_1", "user", ""),
    said("msg_2", "assistant", "build"),
    said("msg_3", "assistant", "build"),
    said("msg_4", "user", ""),
    said("msg_5", "assistant", "build"),
  ];
  serve({
    "GET /api/v1/shared/key": { body: { ...TEA, messages } },
  });
  renderOnPage(<SharedPage secret="key" />);
  await screen.findByRole("heading", { name: "Tea" });
  const names = screen.getAllByTestId("shared-author").map((item) => item.textContent);
  expect(names).toEqual(["Ann", "build", "Ann", "build"]);
});
