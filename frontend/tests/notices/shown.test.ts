import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Notice } from "../../src/api/frames";
import { keys, queryClient } from "../../src/app/queries";
import { writeStored } from "../../src/lib/storage";
import { CHOICE_KEY } from "../../src/notices/choice";
import { noteNotice } from "../../src/notices/shown";
import { question, request, session } from "../support/builders";

const shown = vi.fn();
class FakeNotification {
  static permission = "granted";
  constructor(title: string, options: { body: string }) {
    shown(title, options.body);
  }
}

const ME = { id: "usr_me", name: "Me", email: "me@example.org" };
const say = (kind: string, data: unknown) =>
  noteNotice({ type: "notice", session_id: "ses_1", kind, data } as Notice);
const choose = (page: string, ...news: string[]) =>
  queryClient.setQueryData(CHOICE_KEY, { page, page_news: news });

beforeEach(() => {
  shown.mockReset();
  vi.stubGlobal("Notification", FakeNotification);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  queryClient.setQueryData(keys.me, { user: ME });
  choose("all");
});

afterEach(() => {
  queryClient.clear();
  writeStored("push", null);
  vi.unstubAllGlobals();
});

it("shows what is asked", async () => {
  await say("permission.asked", request({ title: "Run the tests" }));
  const questions = question().questions.map((item) => ({ ...item, question: "Which one?" }));
  await say("question.asked", question({ questions }));
  await say("session.updated", session());
  expect(shown.mock.calls).toEqual([
    ["An agent needs your permission", "Run the tests"],
    ["An agent has a question for you", "Which one?"],
  ]);
});

it("shows nothing to people who look, who want nothing, or who have push notices here", async () => {
  choose("off");
  await say("permission.asked", request());
  choose("all");
  writeStored("push", "https://push.example/1");
  await say("permission.asked", request());
  writeStored("push", null);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  await say("permission.asked", request());
  expect(shown).not.toHaveBeenCalled();
});

it("leaves sessions of others out for people who want only their own", async () => {
  choose("own");
  const other = { id: "usr_2", name: "Lee", email: "lee@example.org" };
  queryClient.setQueryData(keys.sessions(), { items: [session({ id: "ses_1", created_by: other })] });
  await say("permission.asked", request());
  expect(shown).not.toHaveBeenCalled();
  queryClient.setQueryData(keys.sessions(), { items: [session({ id: "ses_1", created_by: ME })] });
  await say("permission.asked", request());
  expect(shown).toHaveBeenCalledTimes(1);
});

it("shows the end of work in one's own sessions to those who want it, once", async () => {
  const work = async (data: Parameters<typeof session>[0]) => {
    for (const status of ["running", "waiting", "idle", "idle"] as const)
      await say("session.updated", session({ title: "Fix it", ...data, status }));
  };
  await work({ created_by: ME });
  expect(shown).not.toHaveBeenCalled();
  choose("all", "turn_ended");
  await work({ created_by: null });
  await work({ created_by: ME, parent_id: "ses_0" });
  expect(shown).not.toHaveBeenCalled();
  await work({ created_by: ME });
  expect(shown.mock.calls).toEqual([["The work in your session has ended", "Fix it"]]);
});

it("shows budgets, but not their silent updates", async () => {
  choose("all", "budget");
  await say("budget.updated", { id: "bud_1", team_id: "tea_1", share: 0, message: "" });
  await say("budget.updated", { id: "bud_1", team_id: "tea_1", share: 80, message: "80 % are used." });
  expect(shown.mock.calls).toEqual([["News of a budget", "80 % are used."]]);
});
