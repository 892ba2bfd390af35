import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ReviewComment } from "../../src/api/review";
import { CommentEditor } from "../../src/review/CommentForms";
import { CommentThread } from "../../src/review/Comments";
import { useReview } from "../../src/review/useReview";
import { rememberedPlace, rememberPlace } from "../../src/review/written";
import { reviewComment, session, snapshot } from "../support/builders";
import { meAs, PROJECT, renderInSession, serve } from "../support/render";

const PLACE = { path: "a.py", side: "new", first: 2, last: 3 } as const;
const VIEW = { layout: "unified", ignoreSpace: false, turn: "", commit: "" } as const;

function Thread({ comments }: { comments: readonly ReviewComment[] }) {
  const review = useReview("ses_1", VIEW, {}, { changes: undefined, comments: [], approvals: [] });
  return <CommentThread comments={comments} review={review} />;
}

function Editor() {
  const review = useReview("ses_1", VIEW, {}, { changes: undefined, comments: [], approvals: [] });
  return <CommentEditor place={PLACE} review={review} />;
}

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

async function open(more: Partial<ReviewComment> = {}, role = "member") {
  const asked = serve({
    "GET /api/v1/me": meAs(role),
    "GET /api/v1/sessions/ses_1": { body: session() },
    "GET /api/v1/projects/prj_1": PROJECT,
    "PATCH /api/v1/review-comments/rvc_1": { body: reviewComment({ text: "Why three?" }) },
    "DELETE /api/v1/review-comments/rvc_1": { status: 204 },
  });
  renderInSession(<Thread comments={[reviewComment(more)]} />, snapshot({ can_act: true }));
  await screen.findByRole("article", { name: "Comment" });
  return asked;
}

describe("a comment", () => {
  it("leads to the message that answered it", async () => {
    await open({ state: "done", answer_id: "msg_9" });
    const link = screen.getByRole("link", { name: "Read the answer" });
    expect(link.getAttribute("href")).toBe("/sessions/ses_1#msg_9");
  });

  it("is changed while it is a draft", async () => {
    const asked = await open();
    await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
    const field = screen.getByLabelText("Text of the comment");
    await userEvent.clear(field);
    await userEvent.type(field, "Why three?{Control>}{Enter}{/Control}");
    await vi.waitFor(() => expect(asked.at(-1)).toBeDefined());
    expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ text: "Why three?" });
    expect(await screen.findByRole("button", { name: "Edit" })).toBeDefined();
  });

  it("is not changed after it was sent", async () => {
    await open({ state: "sent" });
    expect(await screen.findByRole("button", { name: "Delete" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  });

  it("is deleted after a question", async () => {
    const asked = await open();
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = within(screen.getByRole("dialog"));
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
    await userEvent.click(dialog.getByRole("button", { name: "Delete" }));
    await vi.waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
  });

  it("of another person is deleted by admins only", async () => {
    const other = { author: { id: "usr_2", email: "b@example.org", name: "B" }, state: "sent" } as const;
    await open(other, "admin");
    expect(await screen.findByRole("button", { name: "Delete" })).toBeDefined();
  });

  it("of another person has no button for members", async () => {
    const asked = await open({ author: { id: "usr_2", email: "b@example.org", name: "B" }, state: "sent" });
    await vi.waitFor(() => expect(asked.some(({ path }) => path === "/api/v1/projects/prj_1")).toBe(true));
    expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  });
});

describe("the text of a comment that is being written", () => {
  it("is still there after a reload, where it was", async () => {
    serve({});
    const first = renderInSession(<Editor />);
    await userEvent.type(screen.getByRole("textbox"), "Not yet");
    rememberPlace("ses_1", PLACE);
    first.unmount();
    renderInSession(<Editor />);
    expect((screen.getByRole("textbox") as HTMLTextAreaElement).value).toBe("Not yet");
    expect(rememberedPlace("ses_1")).toEqual(PLACE);
    expect(rememberedPlace("ses_2")).toBeNull();
    await userEvent.clear(screen.getByRole("textbox"));
    expect(rememberedPlace("ses_1")).toBeNull();
  });
});
