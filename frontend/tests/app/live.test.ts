import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { notifyStore, useMyStream } from "../../src/app/live";
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
