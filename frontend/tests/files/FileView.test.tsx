import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { FileView } from "../../src/files/FileView";
import { SessionProvider } from "../../src/store/SessionContext";
import { renderOnPage, serve, stillConnection } from "../support/render";

interface EditorProps {
  text: string;
  onChange: (text: string) => void;
  onSave: () => void;
}

vi.mock("../../src/files/Editor", () => ({
  default: ({ text, onChange, onSave }: EditorProps) => (
    <textarea
      aria-label="Editor"
      value={text}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={onSave}
    />
  ),
}));

const CONTENT = "/api/v1/sessions/ses_1/files/content";
const OLD = { path: "a.md", size: 3, kind: "text", sha256: "1".repeat(64), text: "old", masked: false };

beforeEach(() => {
  queryClient.clear();
  sessionStorage.clear();
});
afterEach(() => vi.unstubAllGlobals());

it("shows the text that was saved before it is read again, and keeps what is typed meanwhile", async () => {
  let reads = 0;
  const asked = serve({
    [`GET ${CONTENT}`]: () => (reads++ === 0 ? { body: OLD } : new TypeError("cut")),
    [`PUT ${CONTENT}`]: { body: { path: "a.md", size: 3, sha256: "2".repeat(64) } },
  });
  renderOnPage(
    <SessionProvider value={stillConnection()}>
      <FileView sessionId="ses_1" path="a.md" line={0} mayChange onClose={() => undefined} />
    </SessionProvider>,
  );
  const editor = await screen.findByLabelText<HTMLTextAreaElement>("Editor");
  fireEvent.change(editor, { target: { value: "new" } });
  fireEvent.keyDown(editor);
  fireEvent.change(editor, { target: { value: "newer" } });
  await waitFor(() => expect(asked.some(({ method }) => method === "PUT")).toBe(true));
  await waitFor(() => expect(reads).toBeGreaterThan(1));
  expect(editor.value).toBe("newer");
  expect(screen.queryByRole("alert", { name: "Conflict" })).toBeNull();
  fireEvent.keyDown(editor);
  await waitFor(() => expect(screen.queryByText("Changed, not saved")).toBeNull());
  expect(editor.value).toBe("newer");
  const bodies = asked.filter(({ method }) => method === "PUT").map(({ body }) => body);
  expect(bodies).toEqual([
    { path: "a.md", text: "new", seen_sha256: OLD.sha256 },
    { path: "a.md", text: "newer", seen_sha256: "2".repeat(64) },
  ]);
});
